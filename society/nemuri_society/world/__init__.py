"""The embedded world: a flat grid of blocks and agents. Equal seeds and acts give equal results."""
