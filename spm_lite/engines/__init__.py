"""Work for engines that run on many machines: shards, counts and columns. An engine is imported when it is called."""
