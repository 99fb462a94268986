"""The event that moves the beginning of the log to its archive."""

from typing import Literal

from pydantic import Field

from nemuri_contracts.event import OperatorEvent


class LogArchived(OperatorEvent):
    """The events up to a sequence are in the archive of the log. The stream gives them up some seconds later.

    From now on every reader takes them from the archive. It changes no state. In another log, such as one that an
    export was imported into, it has no effect.
    """

    kind: Literal["log_archived"] = "log_archived"
    log: str = Field(min_length=1, max_length=40)
    """Identity of the log: the creation time of its stream in nanoseconds."""
    until: int = Field(ge=1)
    """Last archived sequence."""
    messages: int = Field(ge=0)
    """Number of messages in the archive."""
    archive_bytes: int = Field(ge=0)
    """Size of the archive's files in bytes."""
