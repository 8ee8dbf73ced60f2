"""A text in pieces, and how its pieces come about step by step, for terminals and as HTML.

In: a text and a tokenizer. Out: text, HTML and SVG. It must not print.
"""
