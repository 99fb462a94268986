"""The history of one agent as readable text, hour by hour of the society's clock, made from the record without a model.

Equal acts in a row become one sentence, so an hour of digging is a line.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from nemuri_infra.bus.event_log import Log
from nemuri_society.cognition.percept_updates import HARMLESS
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.stores.society_record import SocietyRecord, StoredEvent
from nemuri_society.stores.society_states import SocietyError, States


async def agent_story(log: Log, name: str, agent: str) -> str:
    """Return the story of an agent, given by its name or id. Raises `SocietyError` if it or the society is unknown."""
    society = await read_society(await States.open(log, name))
    resident = find_resident(society, agent)
    events = [event async for event in SocietyRecord(log, name).events() if event.agent == resident.id]
    return "\n".join(story_lines(society, resident, events))


def find_resident(society: Society, agent: str) -> Resident:
    """Return the resident with this name, in any case, or id. Raises `SocietyError` if there is none."""
    for resident in society.agents:
        if agent == resident.id or agent.casefold() == resident.name.casefold():
            return resident
    names = [resident.name for resident in society.agents]
    some = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    raise SocietyError(f"society {society.name!r} has no agent {agent!r}; there are {some}")


def story_lines(society: Society, resident: Resident, events: Iterable[StoredEvent]) -> Iterator[str]:
    """Yield the lines of a story: who the agent is, then a heading for each hour and a line for each thing."""
    yield f"# {resident.name} of {society.name}"
    about = [f"{resident.age} years old" if resident.age is not None else "", resident.role or "", *resident.traits]
    if known := ", ".join(filter(None, about)):
        yield f"\n{resident.name}: {known}."
    told = ((event, sentence(event.values)) for event in sorted(events, key=lambda event: event.second))
    lines = [(event, text) for event, text in told if text]
    if not lines:
        yield "\nNothing is on record."
    for (day, hour), some in groupby(lines, key=lambda line: day_and_hour(society, line[0].second)):
        yield f"\n## Day {day}, {hour:02}:00\n"
        for text, same in groupby(some, key=lambda line: line[1]):
            times = list(same)
            often = f" ({len(times)} times)" if len(times) > 1 else ""
            yield f"- {_minute(society, times[0][0].second)} {text}{often}"


def day_and_hour(society: Society, second: float) -> tuple[int, int]:
    """Return the day, from 1, and the hour, 0 to 23, of a second of the society's clock."""
    hours = society.start_hour + second / society.day_seconds * 24
    return int(hours // 24) + 1, int(hours % 24)


def sentence(event: Mapping[str, Any]) -> str:
    """Return what happened in an event of an agent as a sentence about it; empty if it is of no interest."""
    match event["kind"]:
        case "speech":
            return f"Said: “{event['text']}”"
        case "decision":
            return f"Decided: {event['intent']} ({event['action']})."
        case "act":
            return _act(event)
        case "percept":
            return f"{'Concluded' if event['type'] == 'reflection' else 'Noticed'}: {event['content']}"
        case "feeling":
            return _feeling(event)
        case "goals":
            return f"Wanted: {'; '.join(event['goals'])}." if event["goals"] else "Wanted nothing any more."
        case "item":
            return f"Held {event['item']} for the first time."
        case "laws":
            return f"Was under the laws: {'; '.join(event['laws'])}."
        case "influence":
            return f"Was given from outside, as {event['sort']}: {event['text']}"
        case "answer":
            return f"Was asked aside: “{event['question']}” and answered: “{event['answer']}”"
        case "vote":
            voted = "Did not vote" if event["choice"] is None else f"Voted for {event['choice']}"
            return f"{voted} on {event['matter']} (options: {', '.join(event['options'])})."
    return ""


def _act(event: Mapping[str, Any]) -> str:
    if event["reason"] in HARMLESS:
        return ""
    return f"Did: {event['text']}." if event["done"] else f"Did not manage: {event['text']}, because {event['reason']}."


def _feeling(event: Mapping[str, Any]) -> str:
    now, before, other = event["sentiment"], event["before"], event["towards"]
    relationship = f" ({event['relationship']})" if event["relationship"] else ""
    if before is None:
        return f"Formed an opinion of {other}: {now:g} of 10{relationship}."
    if now == before:
        return f"Came to see {other} as {event['relationship']}."
    return f"Liked {other} {'more' if now > before else 'less'}: {before:g} to {now:g} of 10{relationship}."


def _minute(society: Society, second: float) -> str:
    minutes = int((society.start_hour + second / society.day_seconds * 24) * 60)
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"
