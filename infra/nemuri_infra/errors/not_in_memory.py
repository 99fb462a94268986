"""The error of a platform in memory for what only the real servers can do."""


class NotInMemoryError(Exception):
    """A call that needs the tables of PostgreSQL or the streams of NATS."""
