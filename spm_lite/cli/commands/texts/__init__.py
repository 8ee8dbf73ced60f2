"""Commands that turn texts into tokens and back."""
