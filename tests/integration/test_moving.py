"""What is imported is imported once, corrected when it has changed, and comes back from an export without loss."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError, UnknownIdError
from nemuri.moving.agent_export import export_lines, written
from nemuri.moving.file_import import ImportOptions, ImportReport, counted, import_contents, read_file
from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    recorded_events,
    running_services,
    until_idle,
)
from tests.unit.client.moving.test_chatgpt import EXPORT

pytestmark = pytest.mark.in_memory
TEA = {"id": "1", "memory": "Ann drinks tea.", "user_id": "ann", "created_at": "2025-03-01T09:00:00Z"}
DOG = {"id": "2", "memory": "Bob has a dog.", "user_id": "bob", "created_at": "2025-03-02T09:00:00Z"}


async def imported(
    client: Client, path: Path, content: object, *, form: str = "mem0", agent: str = "helper", **options: Any
) -> ImportReport:
    """Write a file and import it."""
    await asyncio.to_thread(path.write_bytes, content if isinstance(content, bytes) else json.dumps(content).encode())
    chosen = ImportOptions(**options)
    return await import_contents(client, agent, form, read_file(form, path, chosen), chosen)


async def exported(client: Client, form: str, agent: str) -> bytes:
    """Return the file of an export."""
    [view] = await client.agents(agent)
    lines = export_lines(view, await client.memories(agent, limit=1_000, status="all"))
    return b"".join(written(form, "x", lines))


async def test_a_second_import_adds_nothing(settings: Settings, tmp_path: Path) -> None:
    """Memories are known by their ids. Persons are kept apart, and an unknown agent is made."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        first = await imported(client, tmp_path / "a.json", [TEA, DOG])
        assert (len(first.memories.new), first.memories.known) == (2, ())
        await until_idle(resources)
        before = len(await recorded_events(resources.log))
        again = await imported(client, tmp_path / "a.json", [DOG, TEA])
        assert (again.memories.new, len(again.memories.known)) == ((), 2)
        await until_idle(resources)
        assert len(await recorded_events(resources.log)) == before
        [memory] = await client.memories("helper", person="ann")
        assert memory.memory.content == "Ann drinks tea."
    await assert_verified(settings)


async def test_a_changed_memory_corrects_the_former_one(settings: Settings, tmp_path: Path) -> None:
    """The memory of the same id that says something else supersedes what it said, once."""
    async with running_services(settings), connected_client(settings) as client:
        first = await imported(client, tmp_path / "a.json", [TEA])
        [former] = first.memories.memory_ids.values()
        changed = TEA | {"memory": "Ann drinks coffee."}
        for expected in ("changed", "known"):
            report = await imported(client, tmp_path / "a.json", [changed])
            assert len(getattr(report.memories, expected)) == 1
        [old, new] = sorted(await client.memories("helper"), key=lambda memory: memory.memory_id != former)
        assert (old.yields_to, new.memory.content) == ((new.memory_id,), "Ann drinks coffee.")


async def test_a_dry_run_records_nothing(settings: Settings, tmp_path: Path) -> None:
    """It tells what would be imported, also for an agent that does not exist, and makes none."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await until_idle(resources)
        before = len(await recorded_events(resources.log))
        report = await imported(client, tmp_path / "a.json", [TEA], dry_run=True)
        talk = await imported(client, tmp_path / "b.json", EXPORT, form="chatgpt", dry_run=True)
        assert (len(report.memories.new), report.memories.memory_ids) == (1, {})
        assert (talk.calls, talk.conversations[0].left_turns) == (1, 3)
        await until_idle(resources)
        assert len(await recorded_events(resources.log)) == before
        with pytest.raises(UnknownIdError):
            await imported(client, tmp_path / "a.json", [TEA], dry_run=True, create=False)


async def test_a_conversation_is_handed_over_once(settings: Settings, tmp_path: Path) -> None:
    """Turns keep their times and their person, and a later export of the same conversation adds what is new."""
    async with running_services(settings), connected_client(settings) as client:
        report = await imported(client, tmp_path / "a.json", EXPORT, form="chatgpt", person="ann")
        [learned] = report.conversations
        assert (learned.conversation, learned.new_turns) == ("chatgpt/c-1", 3)
        [again] = (await imported(client, tmp_path / "a.json", EXPORT, form="chatgpt", person="ann")).conversations
        assert again.new_turns == 0
        found = await client.recall("helper", "who lives in Bergen", person="ann")
        assert found.memories[0].memory.content == "I live in Bergen."
        assert found.memories[0].memory.said_at is not None
        assert found.memories[0].memory.said_at.year == 2023
        assert counted(report.left_out)[0].startswith("1 × ")


async def test_a_limit_of_calls_leaves_conversations_for_later(settings: Settings, tmp_path: Path) -> None:
    """What finds no room is told as left, and the same import goes on with it."""
    talks = [EXPORT[0] | {"conversation_id": f"c-{number}"} for number in range(3)]
    async with running_services(settings), connected_client(settings) as client:
        for imports in range(1, 4):
            report = await imported(client, tmp_path / "a.json", talks, form="chatgpt", max_calls=1)
            assert (report.calls, sum(talk.left_turns for talk in report.conversations)) == (1, 9 - 3 * imports)
        rest = await imported(client, tmp_path / "a.json", talks, form="chatgpt", max_calls=1)
        assert (rest.calls, [talk.new_turns for talk in rest.conversations]) == (0, [0, 0, 0])


async def test_refused_memories_are_told_by_their_places(settings: Settings, tmp_path: Path) -> None:
    """What the agent cannot use is refused with its place, and all others are stored."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("helper"))
        lines = b'{"content": "Fine."}\n{"content": "Odd.", "learnings": {"zzz": "foo"}}\n'
        report = await imported(client, tmp_path / "a.jsonl", lines, form="jsonl")
        [(place, reason)] = report.refused.items()
        assert (place, len(report.memories.new)) == (f"{tmp_path / 'a.jsonl'}:2", 1)
        assert "has no perspective 'zzz'" in reason
        with pytest.raises(ClientError, match="there is no agent"):
            await imported(client, tmp_path / "a.json", [TEA], agent="nobody", create=False)


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
async def test_export_import_export_gives_the_same_file(settings: Settings, tmp_path: Path, form: str) -> None:
    """A fresh agent with the memories of another one is exported as the same file: definition, times, persons,
    learnings, scopes, pins, and what was superseded until when.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("python", principles=("Be brief.",)))
        await until_idle(resources)
        [view] = await client.agents("python")
        perspective = view.definition.perspective_names[0]
        oslo = await client.remember("python", "Ann lives in Oslo.", person="ann", tags=["home"])
        await client.edit_memory(oslo, "Ann lives in Bergen.")
        pinned = await client.remember(
            "python",
            "Salt\n\n- the water.",
            learnings={perspective: "Salt."},
            scope=Scope(level="project", name="bridge"),
            metadata={"n": 3.0, "labels": ("a",)},
        )
        await client.pin_memory(pinned)
        await imported(client, tmp_path / "a.json", EXPORT, form="chatgpt", person="bob", agent="python")
        await until_idle(resources)
        first = await exported(client, form, "python")
        report = await imported(client, tmp_path / "first", first, form=form, agent="fresh")
        assert (report.refused, report.left_out) == ({}, {})
        await until_idle(resources)
        assert (await exported(client, form, "fresh")).decode() == first.decode()
        assert b'"pinned"' in first
        assert (await imported(client, tmp_path / "first", first, form=form, agent="fresh")).memories.new == ()
    await assert_verified(settings)


async def test_many_memories_are_imported_in_portions(settings: Settings) -> None:
    """Progress is told, and every memory arrives."""
    contents = {f"n/{number}": MemoryContent(content=f"Fact number {number}.") for number in range(600)}
    steps = list[tuple[int, int]]()
    async with running_services(settings), connected_client(settings) as client:
        report = await client.import_memories("helper", contents, on_progress=lambda *step: steps.append(step))
        assert (len(report.new), len(report.memory_ids)) == (600, 600)
        assert steps[-1] == (600, 600)
        assert len(await client.memories("helper", limit=1_000, status="all")) == 600
