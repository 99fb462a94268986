"""Events at the edges of what their contracts allow: empty lists, repeated members, the smallest and largest values."""

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

Path = tuple[str | int, ...]
Said = dict[str, Any]
"""An event as JSON."""
NOW = datetime(2026, 1, 5, tzinfo=UTC)
TIMES = (NOW, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
"""When events may say that they were recorded: anything that an imported header holds."""
KINDS_OF_MEMORY = ("strength", "affective", "tiered")
BEGUN: dict[str, type[Event]] = {"strength": MemoryEncoded, "affective": TurnRemembered, "tiered": ExperienceRecorded}
"""What a memory of each kind begins with."""
OF_ANY_AGENT = (*TOMBSTONES, AgentDefined, PolicyAdopted, MemoriesEmbedded, EmbeddingAdopted)
"""What can happen to an agent of any kind of memory."""
THERE: tuple[tuple[type[Event], UUID], ...] = ((TaskSubmitted, TASK), (TaskAssigned, WORK), (CourseBegun, CAUSE))
"""What the examples name beside memories; only where memories are by strength."""
_AGENTS = re.compile(rb'"(buyer|seller|Lila|anna)"')
_UUID = re.compile(rb"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_ENVELOPE = ("kind", "version", "event_id")


def edges(value: Any) -> list[Any]:
    """Return what may stand at the edge of a value's type, whether or not its contract allows it."""
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


def paths(value: Any, here: Path = ()) -> Iterator[Path]:
    """Yield the place of every value in an event's JSON, without those that say which event it is."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if here or key not in _ENVELOPE:
                yield (*here, key)
                yield from paths(inner, (*here, key))


def at(value: Any, path: Path) -> Any:
    """Return the value at a place; None where there is none."""
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return None
    return value


def put(value: Said, path: Path, new: Any) -> Said:
    """Return a copy with another value at a place; as it was where there is no such place."""
    copy: Said = orjson.loads(orjson.dumps(value))
    inner = at(copy, path[:-1])
    if isinstance(inner, dict | list) and at(copy, path) is not None:
        inner[path[-1]] = new  # type: ignore[index]
    return copy


def event_of(said: Said, sequence: int, recorded_at: datetime = NOW) -> AnyEvent | None:
    """Return the event that the JSON says; None where its contract refuses it."""
    try:
        return decode(orjson.dumps(said), recorded_at=recorded_at, sequence=sequence, client_id="ann")
    except (UndecodableError, TypeError):  # orjson writes no number of more than 64 bits
        return None


def own(name: str, said: Said) -> Said:
    """Return an event with the ids and agents of a scene, where nothing else happens."""
    data = _AGENTS.sub(rb'"\1-%s"' % name.encode(), orjson.dumps(said))
    copy: Said = orjson.loads(_UUID.sub(lambda found: own_id(name, UUID(found[0].decode())).encode(), data))
    return copy


def own_id(name: str, known: UUID) -> str:
    """Return an id of an example as a scene has it."""
    return str(uuid5(known, name))


def example(kind: str) -> Said:
    """Return the example of a kind as JSON."""
    said: Said = orjson.loads(encode(EXAMPLES[kind]))
    return said


def scene(memory: str) -> list[Said]:
    """Return an agent with one kind of memory, and what examples name: memories, and a task, its work and a course."""
    agent = example(AgentDefined.kind_of())
    agent["definition"]["memory"] = memory
    memories: list[tuple[type[Event], UUID]] = [(BEGUN[memory], each) for each in (MEMORY, OTHER)]
    begun = [*(THERE if memory == "strength" else ()), *memories]
    return [agent, *(example(kind.kind_of()) | {"event_id": str(each)} for kind, each in begun)]


def kinds_of_memory(kind: str) -> tuple[str, ...]:
    """Return the kinds of memory under which an event can mean something."""
    event = EVENTS[kind]
    if event in get_args(AffectEvent):
        return ("affective",)
    if event in get_args(TiersEvent):
        return ("tiered",)
    return KINDS_OF_MEMORY if event in OF_ANY_AGENT else ("strength",)


def variants(kind: str) -> Iterator[Said]:
    """Yield the example of a kind with each of its values replaced by each edge in turn, as its contract allows.

    And one with as little in it as there may be.
    """
    known = example(kind)
    yield emptied(known)
    for path in paths(known):
        for new in edges(at(known, path)):
            changed = put(known, path, new)
            if event_of(changed, 1) is not None:
                yield changed


def emptied(said: Said) -> Said:
    """Return an event with nothing where its contract allows nothing."""
    for path in paths(said):
        options: list[Any] = [None, [], {}, "", 0]
        for nothing in options:
            changed = put(said, path, nothing)
            if type(nothing) in {type(None), type(at(said, path))} and event_of(changed, 1) is not None:
                said = changed
                break
    return said


@st.composite
def changed(draw: st.DrawFn, kinds: list[str]) -> Said:
    """Draw an example with several of its values replaced by edges, as its contract allows."""
    said = example(draw(st.sampled_from(kinds)))
    for path in draw(st.lists(st.sampled_from(list(paths(said))), max_size=5)):
        if options := edges(at(said, path)):
            other = put(said, path, draw(st.sampled_from(options)))
            said = said if event_of(other, 1) is None else other
    return said
