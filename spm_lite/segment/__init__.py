"""Normalized text -> ids -> text."""
