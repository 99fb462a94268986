"""The block of memories for an assistant's prompt. It holds related memories only, within a size limit; they are
recorded as recalled.
"""

import re

import pytest

from nemuri_contracts.affective import ContextShown, Link, MemoriesRecalled
from nemuri_contracts.event import derive
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import effective_events, running_services
from tests.integration.test_affective_memory import (
    affective_platform,
    all_memories,
    pass_night,
    recall_for,
    remember_turns,
    turn,
)
from tests.unit.domain.affective import turns
from tests.unit.domain.affective.coding_sessions import SESSIONS, UNRELATED

pytestmark = pytest.mark.connected


async def recorded_recalls(resources: Resources) -> list[MemoriesRecalled]:
    """Return every event on the log that records recalled memories."""
    return [event for event in await effective_events(resources.log) if isinstance(event, MemoriesRecalled)]


async def test_an_unrelated_prompt_recalls_nothing(settings: Settings) -> None:
    """From memories of real sessions, an unrelated prompt recalls and records nothing, before and after nightly
    jobs.
    """
    async with affective_platform(settings) as resources:
        said = [turn(each.prompt, each.reply, number=nth) for nth, each in enumerate(SESSIONS)]
        known = {
            affect_memory.turn_id: affect_memory.memory_id for affect_memory in await remember_turns(resources, said)
        }
        for _ in range(2):
            assert {each: (await recall_for(settings, each)).block for each in UNRELATED} == dict.fromkeys(
                UNRELATED, ""
            )
            assert await recorded_recalls(resources) == []
            await pass_night(resources)
        asked = [(known[said[nth].event_id], each.asked_again[0]) for nth, each in enumerate(SESSIONS)]
        views = [(wanted, await recall_for(settings, prompt)) for wanted, prompt in asked]
        found = [wanted in {each.memory.memory_id for each in view.recalled} for wanted, view in views]
        assert sum(found) >= 0.8 * len(found), "at least 80 % of compressed memories are recalled"
        shown = [{each.memory.memory_id for each in view.recalled} for _, view in views if view.recalled]
        assert [{*event.recalled, *event.asked_back} for event in await recorded_recalls(resources)] == shown


async def test_a_block_has_a_size_limit_and_records_its_memories(settings: Settings) -> None:
    """A block holds only whole entries, up to 8,000 characters, and exactly these memories are recorded as recalled."""
    async with running_services(settings) as resources:
        await resources.log.append(turns.defined())
        ids = [derive("long", str(nth)) for nth in range(30)]
        for nth, each in enumerate(ids):
            links = [Link(to=other, sort="continues") for other in ids[max(0, nth - 10) : nth]]
            words = f"The zeppelin parser, part {nth}. " + f"It reads the zeppelin grammar number {nth}. " * 60
            told = turns.remembered(each, trigger=f"zeppelin parser {nth}", content=words, relations=links)
            last = await resources.log.append(told)
        await resources.views.progress.wait(last)
        view = await recall_for(settings, "How does the zeppelin parser read its grammar?", agent=turns.AGENT)
        lines = view.block.splitlines()
        assert len(view.block) <= 8_000
        assert (lines[0], lines[-1]) == ("<memories>", "</memories>")
        entries = [line for line in lines if line.startswith("- [")]
        whole = [entry for entry in entries if not entry.endswith("…")]
        assert 2 <= len(whole) == len(view.recalled) < 5
        assert all(re.search(r"number (\d+)\. *$", entry) for entry in whole), "every memory is complete"
        (event,) = await recorded_recalls(resources)
        assert event.recalled == tuple(each.memory.memory_id for each in view.recalled)
        (shown,) = [each for each in await effective_events(resources.log) if isinstance(each, ContextShown)]
        assert (shown.occasion, shown.characters) == ("prompt", len(view.block))
        assert shown.memories[: len(whole)] == event.recalled
        assert len(shown.memories) == len(entries)
        await resources.views.progress.wait(event.sequence or 0)
        assert {memory.memory_id for memory in await all_memories(resources) if memory.recalled} == set(event.recalled)
