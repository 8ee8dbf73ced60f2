"""What calls of the drop-in return: lists, messages, read-only objects, and the names for each."""
