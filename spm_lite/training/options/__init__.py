"""The options of `train`: names, meanings for each model type, contradictions, and the pieces that they ask for."""
