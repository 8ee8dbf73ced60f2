"""Files: reading, also compressed and remote, atomic writing, locks."""
