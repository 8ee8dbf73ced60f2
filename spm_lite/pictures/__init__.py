"""Pictures: a text in pieces, on terminals and as HTML."""
