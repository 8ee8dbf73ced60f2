"""Commands that show the way: the demo, the page to play with, help and completion."""
