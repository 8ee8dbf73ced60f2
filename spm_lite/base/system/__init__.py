"""What the machine offers: memory, pages, threads, signals, atomics, intrinsics."""
