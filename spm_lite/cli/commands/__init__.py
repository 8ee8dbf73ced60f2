"""The commands of spm-lite, a module for each: `make_parser` has its options, `run` does it."""
