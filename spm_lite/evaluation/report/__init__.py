"""What an audit says: faults in words, rows and tables, on terminals, and as one page of HTML with charts."""
