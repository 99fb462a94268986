"""One script for each figure that is quoted; each says how it is run."""
