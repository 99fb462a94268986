"""The projector can fold every event that its contract allows: every kind with every boundary value, into real
tables.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import chain
from uuid import UUID

import hypothesis
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from nemuri_contracts.codec import EVENTS, AnyEvent
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.boundary_events import (
    KINDS_OF_MEMORY,
    TIMES,
    EventJson,
    altered_examples,
    event_of,
    kinds_of_memory,
    scene_events,
    scene_id,
    unique_to_scene,
    variants,
)
from tests.integration.harness import snapshot

pytestmark = [pytest.mark.connected, pytest.mark.slow]


async def fold(resources: Resources, events: Sequence[AnyEvent]) -> None:
    """Fold events into the tables as the projector does."""
    places = [event.sequence or 0 for event in events]
    await ProjectionWriter(resources.projection).apply(Batch(tuple(events), (), places[0] - 1, places[-1]))


async def fold_errors(resources: Resources, events: Sequence[AnyEvent]) -> list[str]:
    """Fold events into the tables. Return the errors of the events that cannot be folded, each tried on its own."""
    try:
        await fold(resources, events)
    except Exception as error:  # noqa: BLE001 - any error would halt the views
        if len(events) == 1:
            return [f"{type(error).__name__}: {error}\n{events[0].model_dump_json()}"[:2_000]]
        middle = len(events) // 2
        return [*await fold_errors(resources, events[:middle]), *await fold_errors(resources, events[middle:])]
    return []


def with_sequences(said: Iterable[EventJson], after: int) -> list[AnyEvent]:
    """Return the events that their contracts accept, numbered from `after` on. Some get the earliest or latest possible
    time.
    """
    found: list[AnyEvent] = []
    for number, each in enumerate(said):
        moment = TIMES[number % len(TIMES)] if number % 5 == 0 else TIMES[0]
        if (event := event_of(each, after + len(found) + 1, moment)) is not None:
            found.append(event)
    return found


def scene_with(memory: str, said: Sequence[EventJson], name: str) -> list[EventJson]:
    """Return the events of a new scene, followed by `said` with the ids of this scene."""
    return [unique_to_scene(name, event_json) for event_json in (*scene_events(memory), *said)]


@pytest.mark.long
async def test_every_kind_with_every_boundary_value_can_be_folded(settings: Settings) -> None:
    """Every kind of event with every boundary value can be folded, for every kind of memory."""
    failed: list[str] = []
    async with open_resources(settings) as resources:
        sequence = 0
        for kind in EVENTS:
            some = list(variants(kind))
            for memory in kinds_of_memory(kind):
                scenes = [scene_with(memory, [each], f"{kind}-{memory[0]}{number}") for number, each in enumerate(some)]
                events = with_sequences(chain.from_iterable(scenes), sequence)
                sequence += len(events)
                failed += await fold_errors(resources, events)
    assert failed == []


KINDS = {memory: [kind for kind in EVENTS if memory in kinds_of_memory(kind)] for memory in KINDS_OF_MEMORY}
SCENES = st.sampled_from(KINDS_OF_MEMORY).flatmap(
    lambda memory: st.tuples(st.just(memory), st.lists(altered_examples(KINDS[memory]), min_size=1, max_size=8))
)


@pytest.mark.long
@given(scenes=st.lists(SCENES, min_size=1, max_size=6))
@hypothesis.settings(suppress_health_check=[*HealthCheck], max_examples=hypothesis.settings().max_examples // 2)
async def test_random_events_can_be_folded_and_rebuilt(
    settings: Settings, scenes: list[tuple[str, list[EventJson]]]
) -> None:
    """Random events with boundary values give the same tables when folded one by one and in one batch."""
    said = [
        each | {"event_id": scene_id(str(place), UUID(each["event_id"]))}
        if place >= len(scene_events(memory))
        else each
        for number, (memory, some) in enumerate(scenes)
        for place, each in enumerate(scene_with(memory, some, f"{number}"))
    ]
    events = with_sequences(said, 0)
    async with open_resources(settings) as resources, second_views(resources) as fresh:
        await empty_tables(resources)
        for event in events:
            await fold(resources, [event])
        followed = await snapshot(resources)
        await fold(fresh, events)
        assert await snapshot(fresh) == followed


@asynccontextmanager
async def second_views(resources: Resources) -> AsyncIterator[Resources]:
    """Yield resources with a second set of views of the same namespace."""
    database = Database.at(resources.database.url, f"{resources.database.schema}-beside", durable=False)
    try:
        await database.create()
        fresh = replace(resources, database=database, projection=replace(resources.projection, database=database))
        await empty_tables(fresh)
        yield fresh
    finally:
        await database.close()


async def empty_tables(resources: Resources) -> None:
    """Delete every row of every view, and the checkpoint."""
    await resources.database.empty(each.name for each in (*tables.VIEWS, tables.checkpoint))
