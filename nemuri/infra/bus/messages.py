"""Single messages of any stream: where they are, and how they go with their bytes."""

from collections.abc import AsyncIterator

from nats.js import JetStreamContext
from nats.js.errors import APIError, NotFoundError


async def delete_message(context: JetStreamContext, stream: str, sequence: int) -> None:
    """Delete a message of a stream and overwrite its bytes; nothing if it is gone already."""
    try:
        await context.delete_msg(stream, sequence)
    except APIError:
        # The server has several words for what is not there, and one of them for what it does not allow.
        try:
            await context.get_msg(stream, sequence)
        except NotFoundError:
            return
        raise


async def sequences_on(context: JetStreamContext, stream: str, subject: str) -> AsyncIterator[int]:
    """Where the messages are that a stream holds on a subject, in order; one question to the server for each."""
    after = 0
    while True:
        try:
            after = (await context.get_msg(stream, after + 1, subject, next=True)).seq or 0
        except NotFoundError:
            return
        yield after
