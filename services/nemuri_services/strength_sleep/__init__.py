"""Sleep of strength memory: consolidation, decay, archiving and pruning. An agent has at most one sleep at a time."""
