"""The embedded world: a flat grid of blocks, creatures and agents. Equal seeds and acts give equal results."""
