"""The stores on the NATS server beside the log: inputs, vectors, results, delivery attempts, dead letters and others.

The log stays the only source of facts.
"""
