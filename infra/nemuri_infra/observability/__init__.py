"""What a process lets others see of its work: metrics, traces, whether it is ready, lines of its log."""
