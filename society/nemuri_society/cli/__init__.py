"""The command `nemuri society` and its experiments."""
