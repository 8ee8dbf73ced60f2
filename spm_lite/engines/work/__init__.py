"""What a worker of an engine does with its part of the texts."""
