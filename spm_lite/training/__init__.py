"""The public `train`: options, steps, checkpoint, report."""
