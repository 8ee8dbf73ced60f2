"""The options of commands: parsing, those of other programs, those that several commands share."""
