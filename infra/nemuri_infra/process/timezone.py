"""Where this machine is."""

from datetime import UTC, datetime, tzinfo


def local() -> tzinfo:
    """The time zone of this machine."""
    return datetime.now().astimezone().tzinfo or UTC
