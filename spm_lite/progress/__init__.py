"""How far a long call is, and how that is shown.

In: numbers of units done. Out: `Progress` for a function of the caller, or a bar for people.
It must not know what the call does.
"""
