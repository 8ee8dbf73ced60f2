"""The options of commands: parsing, options of other programs, options that several commands share."""
