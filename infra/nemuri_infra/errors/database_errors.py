"""Errors of a database, and which of them mean that it is unavailable."""

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
"""What a database raises that is missing, restarting, out of room or at fault itself, whatever was asked of it."""


def reason(error: Exception) -> str:
    """The first line of what the driver says."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return (str(cause).strip() or type(cause).__name__).splitlines()[0]
