"""A page on this machine, where people type a text and see what models make of it."""
