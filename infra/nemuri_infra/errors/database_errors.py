"""Errors of a database, and those of them that mean an outage."""

import psycopg
from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

OUTAGES = (
    OperationalError,
    InterfaceError,
    InternalError,
    PoolTimeoutError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.InternalError,
    ConnectionError,
    TimeoutError,
)
"""Errors of a database that is missing, restarting, out of resources or broken, independent of the statement."""


def reason(error: Exception) -> str:
    """Return the first line of the driver's message."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return (str(cause).strip() or type(cause).__name__).splitlines()[0]
