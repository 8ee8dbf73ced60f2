"""The machine: memory and its budget, pages, threads, signals, atomics, imports beside a fork."""
