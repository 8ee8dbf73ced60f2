"""Files of documents and of ids: local or remote, compressed or not, read and written.

In: paths, patterns, open files, and arrays of ids to write. Out: documents with their places, and files that are there
whole or not at all. It must not know pieces or models.
"""
