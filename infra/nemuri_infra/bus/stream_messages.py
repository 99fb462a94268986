"""Single messages of any stream: where they are, and how they go with their bytes."""

from collections.abc import AsyncIterator

from nats.js import JetStreamContext, api
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


async def messages_on(context: JetStreamContext, stream: str, subject: str) -> AsyncIterator[api.RawStreamMsg]:
    """What a stream holds on a subject, or on all that a pattern covers, in order; one question to the server for each.

    For whoever may make no consumer, or needs few of many. What is written meanwhile may come twice, at each place.
    """
    after = 0
    while True:
        try:
            found = await context.get_msg(stream, after + 1, subject, next=True)
        except NotFoundError:
            return
        after = found.seq or 0
        yield found


async def sequences_on(context: JetStreamContext, stream: str, subject: str) -> AsyncIterator[int]:
    """Where the messages are that a stream holds on a subject, in order; one question to the server for each."""
    async for each in messages_on(context, stream, subject):
        yield each.seq or 0
