"""Training: the public `train`, its steps, checkpoints and report."""
