"""Sleep of strength memory: consolidation, decay, archiving and pruning, serialised for each agent."""
