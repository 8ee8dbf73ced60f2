"""The commands of spm-lite: `x` is the module `x_command`, with its options in `make_parser` and its work in `run`."""
