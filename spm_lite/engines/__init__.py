"""Work for engines that run on many machines: shards, counts and columns. An engine is imported when it is called.

In: a model and texts of the engine. Out: files, tables or columns of ids that do not depend on the engine.
"""
