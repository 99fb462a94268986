"""The machine's time zone."""

from datetime import UTC, datetime, tzinfo


def local_timezone() -> tzinfo:
    """Return the time zone of this machine."""
    return datetime.now().astimezone().tzinfo or UTC
