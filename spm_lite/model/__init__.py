"""The model file: wire format, fields, reading and writing."""
