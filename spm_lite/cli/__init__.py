"""The command line: `commands` has a module for each command, which parses, calls the library and prints.

In: arguments, files and standard input. Out: text for people, or ids and pieces for the next program. It holds no
algorithm of tokenization.
"""
