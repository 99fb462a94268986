"""Functions for the operating-system process: time zone, memory limit, threads, garbage collection, cancellation,
caches.
"""
