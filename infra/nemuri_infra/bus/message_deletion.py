"""Finding and deleting single messages of any stream."""

from collections.abc import AsyncIterator

from nats.js import JetStreamContext, api
from nats.js.errors import APIError, NotFoundError


async def delete_message(context: JetStreamContext, stream: str, sequence: int) -> None:
    """Delete a message of a stream and overwrite its bytes. Does nothing if it is deleted already.

    Raises `APIError` if the deletion is denied.
    """
    try:
        await context.delete_msg(stream, sequence)
    except APIError:
        # The server has several error codes for a missing message, and one of them also means a denied deletion. So
        # look for the message.
        try:
            await context.get_msg(stream, sequence)
        except NotFoundError:
            return
        raise


async def messages_on(context: JetStreamContext, stream: str, subject: str) -> AsyncIterator[api.RawStreamMsg]:
    """Yield the messages of a stream on a subject or a pattern of subjects, in order, with one request per message.

    For readers that may not create a consumer, or that need only a few of many messages. If a key of a bucket is
    written while it is read, it may be yielded twice: with its old and with its new value.
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
    """Yield the sequences of the stream's messages on a subject or a pattern of subjects, in order.

    Sends one request per message.
    """
    async for stream_msg in messages_on(context, stream, subject):
        yield stream_msg.seq or 0
