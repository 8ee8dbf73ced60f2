"""What every other room may use and what knows no piece, no vocabulary and no id: system, structures, unicode."""
