"""Tests of caches with a limit in bytes, and of estimates of the size of their entries."""

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

from nemuri_contracts.event import Event, Usage
from nemuri_contracts.strength import SessionEnded
from nemuri_contracts.tasks import Detail
from nemuri_domain.strength.agent_topics import Topic
from nemuri_domain.strength.perspective_memories import PerspectiveMemory
from nemuri_domain.strength.training_samples import LoggedRetrieval
from nemuri_infra.models import call_budget
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.retrieval import topic_cache
from nemuri_services.specialist import passage_index
from nemuri_services.trainer import retrieval_log_cache


def test_the_least_recently_used_entry_is_dropped_first() -> None:
    """The least recently used entry is dropped first. A replaced value counts once, and an entry above the limit is not
    kept.
    """
    cache = ByteCache[str, str](10, lambda key, value: len(key) + len(value))
    cache.keep("a", "xxx")
    cache.keep("b", "xxx")
    assert (cache.get("a"), cache.bytes) == ("xxx", 8)
    cache.keep("c", "xxx")
    assert (cache.get("b"), cache.get("a"), cache.get("c"), len(cache)) == (None, "xxx", "xxx", 2)
    cache.keep("a", "x" * 5)
    assert (cache.bytes, cache.get("c")) == (10, "xxx")
    cache.keep("a", "x" * 10)
    assert (cache.get("a"), cache.bytes) == (None, 4)
    cache.drop("c")
    cache.drop("nothing")
    assert cache.bytes == 0


def _waiting(place: int) -> Event:
    return SessionEnded(event_id=uuid4(), agent_id="ann", assignment_id=uuid4(), sequence=place + 1)


def test_cached_replies_are_bounded_in_bytes() -> None:
    """The oldest cached replies are dropped if many events with long prompts wait."""
    kept = call_budget.CallBudgets(100)
    for number in range(50):
        spent = call_budget.CallBudget(100)
        asked = ChatRequest("", f"{number}" + "x" * 4_000_000, 100)
        spent.replies["chat", asked] = Reply(ChatReply("yes"), Usage(model="chat"))
        kept.keep("specialist", _waiting(number), spent, waits=True)
    assert kept.of("specialist", _waiting(49), 0).replies
    assert not kept.of("specialist", _waiting(0), 0).replies


def _topics() -> tuple[Any, Any]:
    names = [f"topic {number} {uuid4()}" for number in range(500)]
    place = ("postgresql://h/d nemuri", "ann", (None, frozenset({f"domain {uuid4()}"})))
    memories = tuple(PerspectiveMemory(f"memory {number} {uuid4()}", number / 24) for number in range(24))
    topics = tuple(Topic(name, 1.5 + len(name) / 7, 2) for name in names)
    return place, topic_cache.KnownTopics((0, 0, (), 0, 0, ("cost",)), topics, {"cost": memories})


def _spent() -> tuple[Any, Any]:
    spent = call_budget.CallBudget(100)
    for number in range(30):
        asked = ChatRequest("s" * number * 100, "u" * 5_000 + str(number), 100)
        spent.replies[f"chat {number}", asked] = Reply(ChatReply("r" * number * 50), Usage(model="chat"))
    return ("specialist", 1), spent


def _retrievals() -> tuple[Any, Any]:
    def one() -> LoggedRetrieval:
        ids = tuple(UUID(str(uuid4())) for _ in range(60))
        return LoggedRetrieval(uuid4(), ids, np.zeros((60, 9)), np.zeros(60, np.bool_))

    return ("postgresql://h/d", "nemuri", "ann"), {1_000 + number: one() for number in range(100)}


def _passages() -> tuple[Any, Any]:
    words = [f"word{number % 1_000} {number}" for number in range(10_000)]
    text = " ".join(words)
    chunks = tuple(
        Detail(document="a.txt", ref="0" * 64, start=at, end=min(at + 20_000, len(text)), pages=(1, 2))
        for at in range(0, len(text), 20_000)
    )
    return chunks, passage_index.PassageIndex.of(chunks, [text])


@pytest.mark.parametrize(
    ("made", "size"),
    [
        (_topics, topic_cache._bytes),
        (_spent, call_budget._bytes),
        (_retrievals, retrieval_log_cache._bytes),
        (_passages, passage_index._bytes),
    ],
)
def test_a_size_estimate_is_within_a_half(made: Callable[[], tuple[Any, Any]], size: Callable[[Any, Any], int]) -> None:
    """The estimated size of an entry is within 50 % of the bytes that the interpreter allocates for it."""
    made()  # The first call also allocates values that are cached for later ones. They must not be measured.
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        key, value = made()
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert 0.5 * taken <= size(key, value) <= 1.5 * taken, (taken, size(key, value))
