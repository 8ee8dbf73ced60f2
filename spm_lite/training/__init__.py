"""Training: the public `train`, its options, steps, checkpoints and report."""
