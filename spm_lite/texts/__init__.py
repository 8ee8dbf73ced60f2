"""Input texts: str, bytes, numpy, Arrow and delimited files; transcoding of any character width to UTF-8."""
