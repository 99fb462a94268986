"""The lineage of a memory, turn or task: everything derived from it. It is followed level by level, with a number of
SQL statements that does not depend on its size.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import event as engine_events
from sqlalchemy import text

from nemuri.client.client import Client
from nemuri_contracts.affective import TurnOffered
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.strength import MemoryEncoded
from nemuri_infra.projections import erasure_lineage
from nemuri_infra.projections.erasure_lineage import Lineage, LineageResult, ProtectedError, Thing
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import vector_key
from tests.integration.harness import (
    EMBEDDING,
    agent_defined,
    append_all,
    connected_client,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected
FEW, MANY = 6, 60


@contextmanager
def statements(resources: Resources) -> Iterator[list[str]]:
    """Yield a list to which every statement sent to the database in this context is appended."""
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    engine = resources.database.engine.sync_engine
    engine_events.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        engine_events.remove(engine, "before_cursor_execute", note)


async def lineage_of(resources: Resources, roots: Sequence[Thing]) -> tuple[LineageResult, int]:
    """Return the lineage of the roots, and the number of statements needed to find it."""
    with statements(resources) as asked:
        found = await Lineage(resources.database, resources.log).of(roots)
    return found, len(asked)


def encoded(agent_id: str, content: str, **fields: Any) -> MemoryEncoded:
    """Return the event that encodes a memory."""
    vector = vector_key(EMBEDDING.model, EMBEDDING.dimension, content)
    return MemoryEncoded(
        event_id=uuid4(), agent_id=agent_id, memory=MemoryContent(content=content), vector=vector, strength=1.0,
        perspectives=(), **fields,
    )  # fmt: skip


async def used_memory(resources: Resources, client: Client, colour: str, number: int) -> UUID:
    """Let an agent use a memory in a task with `number` learnings, from each of which another agent learns; return its
    id.
    """
    root = await client.remember("python", f"The truth value of {colour} is false.")
    asked = await client.ask(f"What is the truth value of {colour}?", agent="python", settled=True)
    assert root in asked.used
    learned = [
        encoded("python", f"Lesson {each} of {colour}.", correlation_id=asked.task_id, source="task")
        for each in range(number)
    ]
    linked = [
        encoded("other", f"Heard: {event.memory.content}", links=(event.event_id,), source="manual")
        for event in learned
    ]
    await append_all(resources.log, learned)
    await append_all(resources.log, linked)
    await until_idle(resources)
    return root


async def test_the_number_of_statements_does_not_depend_on_the_lineage(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding the lineage of sixty learnings takes no more statements than that of six.

    The results and their order do not depend on the number of things in a statement.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        for name in ("python", "other"):
            await resources.log.append(agent_defined(name))
        await client.settle()
        few, at_few = await lineage_of(
            resources, [Thing("memory", await used_memory(resources, client, "maroon", FEW))]
        )
        roots = [Thing("memory", await used_memory(resources, client, "indigo", MANY))]
        many, at_many = await lineage_of(resources, roots)
        assert len(few.of("memory")) < len(many.of("memory"))
        assert len(many.of("memory")) >= 2 * MANY + 1
        assert at_many <= at_few
        monkeypatch.setattr(erasure_lineage, "MAX_THINGS_PER_STATEMENT", 1)
        singly, at_singly = await lineage_of(resources, roots)
        assert at_singly > 2 * MANY
        monkeypatch.setattr(erasure_lineage, "MAX_THINGS_PER_STATEMENT", 7)
        assert list(singly.reasons.items()) == list(many.reasons.items())
        assert singly.owners == many.owners
        by_seven, _ = await lineage_of(resources, roots)
        assert list(by_seven.reasons.items()) == list(many.reasons.items())


async def test_the_number_of_statements_does_not_depend_on_the_turns(settings: Settings) -> None:
    """Finding the lineage of sixty turns takes no more statements than that of six. An error names the first protected
    memory.
    """
    async with running_services(settings) as resources, connected_client(settings):
        await resources.log.append(agent_defined("diary", memory="affective", perspectives=()))
        await until_idle(resources)
        await append_all(resources.log, (turn_offered(number) for number in range(MANY)))
        await until_idle(resources)
        rows = text("SELECT memory_id, label FROM affect_memory ORDER BY memory_id")
        async with resources.database.reading() as connection:
            memories = [(row.memory_id, row.label) for row in await connection.execute(rows)]
        assert len(memories) == MANY
        roots = [Thing("memory", each) for each, _ in memories]
        few, at_few = await lineage_of(resources, roots[:FEW])
        many, at_many = await lineage_of(resources, roots)
        assert (len(few.of("memory")), len(many.of("memory"))) == (FEW, MANY)
        assert len(many.events) == MANY
        assert at_many <= at_few
        protect = text("UPDATE affect_memory SET protection = 'protected' WHERE memory_id = ANY(:ids)")
        async with resources.database.begin() as connection:
            await connection.execute(protect, {"ids": [memories[-1][0], memories[7][0]]})
        with pytest.raises(ProtectedError, match=f"memory {memories[7][1]} of diary is protected: release it first"):
            await lineage_of(resources, roots)


def turn_offered(number: int) -> TurnOffered:
    """Return an offered turn with text that no other turn has."""
    now, said = datetime.now(UTC), f"part{number}"
    return TurnOffered(
        event_id=uuid4(), client_id="ann", agent_id="diary", session=said, prompt=f"How does {said} work?",
        reply=f"The {said} turns left by {number} degrees.", said_at=now, ended_at=now,
    )  # fmt: skip
