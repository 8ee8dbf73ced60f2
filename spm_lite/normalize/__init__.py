"""Raw text -> normalized text: compiled rules, whitespace, alignment back to the input."""
