"""Piece <-> id, score, type."""
