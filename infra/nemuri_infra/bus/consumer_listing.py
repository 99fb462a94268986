"""Lists of the consumers of a stream, collected over all pages of the server's answer."""

from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo

from nemuri_infra.bus.event_log import Log

PAGE_SIZE = 256
"""Number of consumers that the server lists in one answer."""


async def consumers_of(context: JetStreamContext, stream: str) -> list[ConsumerInfo]:
    """Return all pull consumers of a stream, also the ephemeral ones. Each name occurs once.

    The consumer that sends new events to all processes is left out, because nobody acknowledges them.

    If a consumer is deleted between two answers, one other consumer may be missing from the result.
    """
    found, seen = dict[str, ConsumerInfo](), 0
    while True:
        page = await context.consumers_info(stream, offset=seen)
        seen += len(page)
        found |= {consumer.name: consumer for consumer in page if consumer.config.deliver_subject is None}
        if len(page) < PAGE_SIZE:
            return list(found.values())


async def durable_consumers(log: Log) -> list[ConsumerInfo]:
    """Return the durable consumers of the log's stream and of the timer stream."""
    streams = (log.subjects.stream, log.subjects.timers_stream)
    found = [consumer_info for stream in streams for consumer_info in await consumers_of(log.stream, stream)]
    return [consumer for consumer in found if consumer.config.durable_name]
