"""The command line: one file per command, which parses arguments and prints results of the library."""
