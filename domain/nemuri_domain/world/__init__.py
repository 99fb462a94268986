"""The embedded world: a flat grid of blocks, creatures and agents, which goes on alike from the same seed and acts."""
