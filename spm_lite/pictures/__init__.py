"""Pictures: a text in pieces, how its pieces come about, and a card of a model; on terminals, as HTML and as SVG."""
