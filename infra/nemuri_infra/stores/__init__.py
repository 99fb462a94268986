"""What is kept beside the log on its server: inputs, vectors, results, tries, letters, timers. No source of facts."""
