"""The connection to the log's server: access, consumers, and appending, reading and deleting messages."""
