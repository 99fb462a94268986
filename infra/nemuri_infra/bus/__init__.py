"""The connection to the NATS server: access, the event log, consumers, and single messages of streams."""
