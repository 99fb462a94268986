"""Input chunking: large inputs become a summary with details behind references; offered memories are taken in."""
