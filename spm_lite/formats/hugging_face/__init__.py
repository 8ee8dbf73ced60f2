"""tokenizer.json and the folders of transformers: `write_*` makes them of a model, `read_*` makes a model of them.

Each component that is read is one that a model of ours can do, or is refused by its name.
"""
