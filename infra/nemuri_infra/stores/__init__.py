"""The stores on the NATS server, apart from the log: inputs, vectors, results, delivery attempts, dead letters and
others.

Only the log is a source of facts.
"""
