"""Attacks on reliability: long mixed calls, forks, little memory, kills, full disks. `python -m tools.soak --help`."""
