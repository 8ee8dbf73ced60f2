"""Commands that make or judge models."""
