"""A table of counts to pieces: what all trainers have, and one folder for each method."""
