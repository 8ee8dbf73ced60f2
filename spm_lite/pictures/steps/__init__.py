"""Step by step: how the pieces of a text come about, as text, HTML and SVG."""
