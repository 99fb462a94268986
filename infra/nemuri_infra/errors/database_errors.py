"""The database errors that mean an outage, and the driver's message in an error."""

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
"""Errors that mean that the database is missing, restarting, out of resources or broken. No statement causes them."""


def reason(error: Exception) -> str:
    """Return the first line of the driver's message; the name of the error's type if the message is empty."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return (str(cause).strip() or type(cause).__name__).splitlines()[0]
