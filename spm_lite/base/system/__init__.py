"""Access to the machine: memory, pages, threads, signals, atomics, intrinsics."""
