"""Calls of the drop-in: arguments, errors, and the settings of the process."""
