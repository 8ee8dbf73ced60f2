"""Ids in and out: arrays, lists, Arrow, `Batch`."""
