"""Vocabularies that cost every language alike: what a call asks for, dev texts, the loop over weights, its result."""
