"""Train pieces on a table of counts: the interface of all trainers, and one folder for each method.

`trainer_interface.TRAINERS` is the registry.
"""
