"""Sorted byte strings -> a double array that answers "which of them start here?", one step per byte."""
