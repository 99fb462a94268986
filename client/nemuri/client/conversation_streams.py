"""Conversations that come message by message: turns are handed over as soon as there are enough for a stretch."""

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from nemuri.client.chat_messages import Turns, read_messages
from nemuri.client.conversations import Handover, Learned
from nemuri_contracts.conversations import STRETCH_TURNS
from nemuri_domain.conversations.aggregate import Conversation, fresh_turns, numbered


async def stream(handover: Handover, messages: AsyncIterable[Any], known: Conversation) -> Learned:
    """Hand over messages as they come, and return what was learned from all of them. The platform has `known` so far.

    A stream that begins with the whole conversation goes on after what is known of it. With `max_calls`, the stream is
    read no further when they are used up. Raises `ClientError` as `Handover.all`, and for what is no message; what came
    before is recorded then.
    """
    waiting, learned = Turns(), list[Learned]()
    count, begun = known.count, False
    async for portion in _portions(messages, handover):
        waiting.turns += portion.turns
        waiting.left_out += portion.left_out
        if not begun and len(waiting.turns) < known.count:
            continue  # It is not known yet whether these are the turns that the platform has.
        fresh = numbered(waiting.turns, count) if begun else fresh_turns(waiting.turns, known)
        learned.append(await _within(handover, learned).fresh(fresh, waiting.left_out))
        count, begun, waiting = count + len(fresh), True, Turns()
        if learned[-1].left_turns and not handover.options.dry_run:
            break
    if waiting.turns or not learned:
        learned.append(await handover.all(waiting, known))
    return _together(learned)


def _within(handover: Handover, learned: Sequence[Learned]) -> Handover:
    """Return the handover with the calls that are left for it."""
    most, options = handover.options.max_calls, handover.options
    if most is None:
        return handover
    left = most - sum(part.calls for part in learned)
    return replace(handover, options=options.model_copy(update={"max_calls": max(left, 0)}))


def _together(learned: Sequence[Learned]) -> Learned:
    return Learned(
        learned[0].conversation,
        sum(part.new_turns for part in learned),
        sum(part.calls for part in learned),
        sum(part.left_turns for part in learned),
        tuple(fact for part in learned for fact in part.facts),
        sum((Counter(part.left_out) for part in learned), Counter()),
    )


async def _portions(messages: AsyncIterable[Any], handover: Handover) -> AsyncIterator[Turns]:
    """Yield the turns in messages, about as many at a time as a stretch has."""
    some = list[Any]()
    async for message in messages:
        some.append(message)
        if len(some) == STRETCH_TURNS:
            yield read_messages(some, at=handover.options.at)
            some = []
    if some:
        yield read_messages(some, at=handover.options.at)
