"""The way to the log's server: connections, who may do what on it, what must be there, and messages as they come."""
