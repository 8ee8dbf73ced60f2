"""Ids go in and out: arrays, lists, Arrow, `Batch`."""
