"""Comparison of two societies, such as a fork with the one that it was made of, by their records.

Agents are matched by their names. Up to the moment of the fork both records must be equal; what came afterwards is
counted per agent, and told side by side.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from nemuri_contracts.event import Label, Value
from nemuri_infra.bus.event_log import Log
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.stores.society_record import SocietyRecord, StoredEvent
from nemuri_society.stores.society_states import SocietyError, States

COMPARED: Final = (
    "speech", "decision", "act", "feeling", "goals", "item", "percept", "laws", "influence", "answer",
    "vote",
)  # fmt: skip
"""Kinds of events that are compared."""
EXAMPLES: Final = 3
"""Number of things of each kind and side that are told word by word."""
_HIDDEN: Final = frozenset({"agent", "decision", "act_id"})
"""Fields with ids, which differ between equal histories."""


class Difference(Value):
    """Events of one agent: what it did, said or felt in one society and not in the other, since they separated."""

    name: Label
    kind: str
    only_first: int
    only_second: int
    """Number of events that only one of the societies has. An event counts as the same if it says the same."""
    both: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    """Some of them, the most frequent first."""


class Comparison(Value):
    """Two societies compared."""

    names: tuple[str, str]
    fork: float | None
    """Second at which one of them was forked from the other, or both from a third; None if they are strangers."""
    equal_until_fork: bool
    """Whether both have the same on record up to the fork. True for strangers, who have no common time."""
    until: float
    """Last second that both have on record. Later events of one of them are left out."""
    differences: tuple[Difference, ...]


async def compare_societies(log: Log, name: str, other: str) -> Comparison:
    """Compare what two societies have on record. Raises `SocietyError` if one of them does not exist, or if both are
    the same.
    """
    if name == other:
        raise SocietyError(f"{name!r} is compared with itself; name two societies")
    histories, names, forks = list[list[StoredEvent]](), list[dict[str, str]](), list[StoredEvent | None]()
    for society in (name, other):
        definition = await read_society(await States.open(log, society))
        names.append({agent.id: agent.name for agent in definition.agents})
        events = [event async for event in SocietyRecord(log, society).events()]
        forks.append(next((event for event in events if event.kind == "forked"), None))
        histories.append([event for event in events if event.kind in COMPARED])
    fork = _fork_second((name, other), forks)
    until = max(fork or 0.0, min(max((event.second for event in events), default=0.0) for events in histories))
    before = [
        Counter(_key(event, known) for event in events if fork is not None and event.second <= fork)
        for events, known in zip(histories, names, strict=True)
    ]
    after = [
        Counter(
            _plain(event, known) for event in events if (fork is None or event.second > fork) and event.second <= until
        )
        for events, known in zip(histories, names, strict=True)
    ]
    return Comparison(
        names=(name, other), fork=fork, equal_until_fork=before[0] == before[1], until=until,
        differences=tuple(_differences(*after)),
    )  # fmt: skip


def _fork_second(names: tuple[str, str], forks: list[StoredEvent | None]) -> float | None:
    """Return the second up to which both have one history; None if they are strangers."""
    one, other = forks
    if one is not None and other is not None and _source(one) == _source(other):
        return min(one.second, other.second)
    if one is not None and _source(one) == names[1]:
        return one.second
    return other.second if other is not None and _source(other) == names[0] else None


def _source(fork: StoredEvent) -> str:
    return str(fork.values["source"])


_Plain = tuple[str, str, str]


def _plain(event: StoredEvent, names: dict[str, str]) -> _Plain:
    """Return an event without its time: the agent's name, the kind, and what it says."""
    return names.get(event.agent or "", ""), event.kind, _words(event.values)


def _key(event: StoredEvent, names: dict[str, str]) -> tuple[float, _Plain]:
    return event.second, _plain(event, names)


def _words(values: dict[str, Any]) -> str:
    match values["kind"]:
        case "speech":
            return str(values["text"])
        case "decision":
            return f"{values['intent']} ({values['action']})"
        case "act":
            return f"{values['text']}: {'done' if values['done'] else values['reason']}"
        case "percept":
            return str(values["content"])
        case "feeling":
            return f"{values['towards']} {values['sentiment']:g}"
        case "item":
            return str(values["item"])
    rest = {key: value for key, value in values.items() if key not in _HIDDEN | {"kind", "second"}}
    return "; ".join(f"{key}: {value}" for key, value in rest.items())


def _differences(one: Counter[_Plain], other: Counter[_Plain]) -> Iterable[Difference]:
    groups = sorted({plain[:2] for plain in (*one, *other)}, key=lambda group: (group[0], COMPARED.index(group[1])))
    both, first, second = one & other, one - other, other - one
    for name, kind in groups:
        mine, yours, shared = (
            Counter({plain[2]: count for plain, count in counts.items() if plain[:2] == (name, kind)})
            for counts in (first, second, both)
        )
        if mine or yours:
            yield Difference(
                name=name, kind=kind, only_first=mine.total(), only_second=yours.total(), both=shared.total(),
                first=tuple(text for text, _ in mine.most_common(EXAMPLES)),
                second=tuple(text for text, _ in yours.most_common(EXAMPLES)),
            )  # fmt: skip
