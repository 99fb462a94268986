"""Settings of the operating-system process: time zone, memory limit, threads, garbage collection."""
