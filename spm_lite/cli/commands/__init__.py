"""The commands of spm-lite: `x` is the module `x_command`.

Its options are in `make_parser`, its work is in `run`, which returns the exit code.
"""
