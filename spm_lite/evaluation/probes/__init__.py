"""Probes: what small edits, numbers and code become, and what a vocabulary costs."""
