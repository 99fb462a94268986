"""The price of a task, of a memory and of memories in bulk has a budget. No time is measured."""

import pytest
from bench.cost import BULK, measure

STATEMENTS_OF_A_TASK = 30
STATEMENTS_OF_A_MEMORY = 6
"""One of them updates the index in which the nearest memories are searched, and one reads those that are near."""
STATEMENTS_OF_MEMORIES_IN_BULK = BULK // 4
"""Statements for `BULK` memories together: about fifty on an idle machine. The longer they take, the more batches the
projector makes of them, and the more often the waiting client looks.
"""
MESSAGES_OF_A_TASK = 100
"""Fewer than 75 on an idle machine. The longer a task takes, the more messages are sent meanwhile by the clock."""
MESSAGES_OF_A_MEMORY_IN_BULK = 5
"""The offer, the encoded memory and an acknowledgement of each, and some for what all of them cost together."""


@pytest.mark.long
async def test_a_task_and_a_memory_stay_within_their_budget() -> None:
    """PostgreSQL's log shows at most so many statements for a task, for a memory and for memories in bulk, pings of the
    pool included.
    """
    figures = await measure(tasks=6, memories=10, bulks=1)

    task, memory = figures["task"], figures["memory"]
    assert task["events"] == pytest.approx(14, abs=1)
    assert 0 < task["statements"] <= STATEMENTS_OF_A_TASK, task["statements_by_kind"]
    assert 0 < task["nats_messages"] <= MESSAGES_OF_A_TASK
    assert memory["events"] == pytest.approx(2, abs=0.5)
    assert 0 < memory["statements"] <= STATEMENTS_OF_A_MEMORY, memory["statements_by_kind"]
    bulk = figures["bulk"]
    assert bulk["events"] == pytest.approx(2 * BULK, abs=2)
    assert 0 < bulk["statements"] <= STATEMENTS_OF_MEMORIES_IN_BULK, bulk["statements_by_kind"]
    assert 0 < bulk["nats_messages"] <= MESSAGES_OF_A_MEMORY_IN_BULK * BULK
