"""Inputs and outputs of commands: files, patterns, standard streams."""
