"""Events at the limits of their contracts: empty lists, repeated members, the smallest and largest values.

A scene is a set of events about one agent, with ids of its own.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, get_args
from uuid import UUID, uuid5

import orjson
from hypothesis import strategies as st

from nemuri_contracts.affective import AffectEvent, TurnRemembered
from nemuri_contracts.agents import AgentDefined, EmbeddingAdopted, MemoriesEmbedded, PolicyAdopted
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.codec import EVENTS, AnyEvent, UndecodableError, decode, encode
from nemuri_contracts.education import CourseBegun
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryEncoded
from nemuri_contracts.tasks import TaskAssigned
from nemuri_contracts.tiered import ExperienceRecorded, TiersEvent
from nemuri_domain.event_sourcing.erasure import TOMBSTONES
from tests.contracts.examples import CAUSE, EXAMPLES, MEMORY, OTHER, TASK, WORK

JsonPath = tuple[str | int, ...]
EventJson = dict[str, Any]
"""An event as JSON."""
NOW = datetime(2026, 1, 5, tzinfo=UTC)
TIMES = (NOW, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
"""Times at which events are recorded: an ordinary one, the earliest and the latest that a header may hold."""
KINDS_OF_MEMORY = ("strength", "affective", "tiered")
CREATED_BY: dict[str, type[Event]] = {
    "strength": MemoryEncoded,
    "affective": TurnRemembered,
    "tiered": ExperienceRecorded,
}
"""The class of the event that creates a memory, by kind of memory."""
OF_ANY_AGENT = (*TOMBSTONES, AgentDefined, PolicyAdopted, MemoriesEmbedded, EmbeddingAdopted)
"""Events that can apply to agents with any kind of memory."""
REFERENCED: tuple[tuple[type[Event], UUID], ...] = ((TaskSubmitted, TASK), (TaskAssigned, WORK), (CourseBegun, CAUSE))
"""Classes and ids of the events, other than memories, that examples for strength memory refer to."""
_AGENTS = re.compile(rb'"(buyer|seller|Lila|anna)"')
_UUID = re.compile(rb"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_ENVELOPE = ("kind", "version", "event_id")


def boundary_values(value: Any) -> list[Any]:
    """Return values at the limits of the type of `value`, including values that the event's contract refuses."""
    match value:
        case bool():
            return [not value]
        case int():
            return [0, -1, 10**9, 2**31, 2**53, 2**63, 10**30, None]
        case float():
            return [0.0, -1.0, 5e-324, 1e6, 1e12, -1e300, 1.7976931348623157e308, None]
        case str():
            moments = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "0001-01-01", "9999-12-31"]
            return ["", "\x00", "\x01\N{GRINNING FACE}", "x" * 5_000, *moments, None]
        case list():
            return [[], value * 2, value * 40, None]
        case dict():
            return [{}, value | {"": next(iter(value.values()), None)}, value | {"\x00": 1}, None]
        case _:
            return []


def json_paths(value: Any, here: JsonPath = ()) -> Iterator[JsonPath]:
    """Yield the path of every value in an event's JSON, except its kind, version and id."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if here or key not in _ENVELOPE:
                yield (*here, key)
                yield from json_paths(inner, (*here, key))


def value_at(value: Any, path: JsonPath) -> Any:
    """Return the value at a path, or None if the path does not exist."""
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return None
    return value


def replace_at(value: EventJson, path: JsonPath, new: Any) -> EventJson:
    """Return a copy of `value` with `new` at a path, or an equal copy if the path does not exist."""
    copy: EventJson = orjson.loads(orjson.dumps(value))
    inner = value_at(copy, path[:-1])
    if isinstance(inner, dict | list) and value_at(copy, path) is not None:
        inner[path[-1]] = new  # type: ignore[index]
    return copy


def event_of(event: EventJson, sequence: int, recorded_at: datetime = NOW) -> AnyEvent | None:
    """Return the event decoded from JSON, or None if its contract refuses it."""
    try:
        return decode(orjson.dumps(event), recorded_at=recorded_at, sequence=sequence, client_id="ann")
    except (UndecodableError, TypeError):  # orjson cannot encode integers above 64 bits.
        return None


def unique_to_scene(name: str, event: EventJson) -> EventJson:
    """Return a copy of an event whose ids and agent names belong to one scene only."""
    data = _AGENTS.sub(rb'"\1-%s"' % name.encode(), orjson.dumps(event))
    copy: EventJson = orjson.loads(_UUID.sub(lambda found: scene_id(name, UUID(found[0].decode())).encode(), data))
    return copy


def scene_id(name: str, known: UUID) -> str:
    """Return the id that replaces the example's id `known` in a scene."""
    return str(uuid5(known, name))


def example(kind: str) -> EventJson:
    """Return the example of a kind of event as JSON."""
    event: EventJson = orjson.loads(encode(EXAMPLES[kind]))
    return event


def scene_events(memory: str) -> list[EventJson]:
    """Return events that create an agent with one kind of memory, two memories, and a task, assignment and course."""
    agent = example(AgentDefined.kind_of())
    agent["definition"]["memory"] = memory
    if memory != "strength":
        agent["definition"] |= {"perspectives": [], "principles": []}
    memories: list[tuple[type[Event], UUID]] = [(CREATED_BY[memory], each) for each in (MEMORY, OTHER)]
    begun = [*(REFERENCED if memory == "strength" else ()), *memories]
    events = [agent, *(example(kind.kind_of()) | {"event_id": str(each)} for kind, each in begun)]
    assert all(event_of(event, 1) for event in events), "the contracts must accept every event of a scene"
    return events


def kinds_of_memory(kind: str) -> tuple[str, ...]:
    """Return the kinds of memory to which a kind of event can apply."""
    event = EVENTS[kind]
    if event in get_args(AffectEvent):
        return ("affective",)
    if event in get_args(TiersEvent):
        return ("tiered",)
    return KINDS_OF_MEMORY if event in OF_ANY_AGENT else ("strength",)


def variants(kind: str) -> Iterator[EventJson]:
    """Yield variants of a kind's example, each with one value replaced by a boundary value that the contract allows.

    The first variant has every value empty that may be empty.
    """
    known = example(kind)
    yield minimal(known)
    for path in json_paths(known):
        for new in boundary_values(value_at(known, path)):
            changed = replace_at(known, path, new)
            if event_of(changed, 1) is not None:
                yield changed


def minimal(event: EventJson) -> EventJson:
    """Return a copy of an event in which every value is empty that its contract allows to be empty."""
    for path in json_paths(event):
        options: list[Any] = [None, [], {}, "", 0]
        for nothing in options:
            changed = replace_at(event, path, nothing)
            if type(nothing) in {type(None), type(value_at(event, path))} and event_of(changed, 1) is not None:
                event = changed
                break
    return event


@st.composite
def altered_examples(draw: st.DrawFn, kinds: list[str]) -> EventJson:
    """Draw an example with several values replaced by boundary values that its contract allows."""
    event = example(draw(st.sampled_from(kinds)))
    for path in draw(st.lists(st.sampled_from(list(json_paths(event))), max_size=5)):
        if options := boundary_values(value_at(event, path)):
            other = replace_at(event, path, draw(st.sampled_from(options)))
            event = event if event_of(other, 1) is None else other
    return event
