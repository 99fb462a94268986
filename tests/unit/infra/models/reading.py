"""Reading of replies by jobs, for tests of replies that cannot be read."""

from typing import TypeVar

from nemuri_infra.models.chat import ChatReply
from nemuri_infra.models.protocol import Job, UnreadableReplyError

T = TypeVar("T")


def read_or_none(job: Job[T], text: str) -> T | None:
    """Return the value that a job reads in a reply; None if it cannot be read."""
    try:
        return job.read(ChatReply(text))
    except UnreadableReplyError:
        return None
