"""The command line: one file per command; they parse and print, and compute nothing."""
