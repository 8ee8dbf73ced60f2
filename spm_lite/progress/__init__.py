"""How far a long call is, and how that is shown.

In: numbers of units done. Out: `Progress` for a function of the caller (meter), or a bar of progress (bar, rows, screens).
It must not know what the call does.
"""
