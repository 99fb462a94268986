"""Replay of a society's record: where its agents were at a second, and what happened in the time before it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.society import Society
from nemuri_society.operations.story import find_resident, sentence
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.simulation.recorder import COMPLETE_SECONDS, PLACES_SECONDS
from nemuri_society.stores.society_record import SocietyRecord, StoredEvent
from nemuri_society.stores.society_states import States

SPANS: Final = (10, 60, 600, 3_600)
"""Ranges of time to choose from, in seconds."""
DEFAULT_SPAN: Final = 60
MAX_LINES: Final = 200
"""Maximum number of lines, the newest."""
WRITING_SECONDS: Final = 5.0
"""Seconds of wall-clock time within which hosts write an event, with a reserve."""


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """Something that happened."""

    second: float
    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplayMoment:
    """A society at one second of its record."""

    society: Society
    last: int
    """Last second on record, rounded up; 0 if nothing is on record."""
    second: int
    span: int
    """Seconds before `second` of which the lines tell."""
    agent: str | None
    """Id of the one agent of which the lines tell; None for all."""
    places: Mapping[str, tuple[int, int]]
    """Place of each agent in blocks, by its id."""
    lines: tuple[ReplayLine, ...]
    """Events, newest first."""
    left_out: int
    """Number of older lines that are left out."""


async def replay_moment(log: Log, name: str, second: int | None, span: int, agent: str | None) -> ReplayMoment:
    """Return a society at a second of its record, by default the last one, and what happened in `span` seconds before.

    With `agent`, a name or an id, only that agent's lines are told. Reads only that part of the record. Raises
    `SocietyError` if the society or the agent does not exist.
    """
    society, record = await read_society(await States.open(log, name)), SocietyRecord(log, name)
    last = int((await record.last_second() or 0.0) + 1)
    chosen = last if second is None else min(second, last)
    only = None if agent is None else find_resident(society, agent).id
    reserve = WRITING_SECONDS * max(1.0, society.speed)
    begin = chosen - max(span, COMPLETE_SECONDS + PLACES_SECONDS) - reserve
    places, told = dict[str, tuple[int, int]](), list[StoredEvent]()
    async for event in record.events(after=await record.sequence_before(begin)):
        if event.second > chosen + reserve:
            break
        if event.second > chosen:
            continue
        if event.kind == "places":
            places |= {agent_id: (place[0], place[1]) for agent_id, place in event.values["places"].items()}
        elif event.second >= chosen - span and event.agent is not None and only in {None, event.agent}:
            told.append(event)
    lines = [
        ReplayLine(event.second, str(event.agent), text)
        for event in sorted(told, key=lambda event: -event.second)
        if (text := sentence(event.values))
    ]
    return ReplayMoment(
        society, last, chosen, span, only, places, tuple(lines[:MAX_LINES]), max(0, len(lines) - MAX_LINES)
    )
