"""Ids in files as training programs read them: numpy, plain numbers, Megatron, datatrove and Parquet."""
