"""Commands for past states: state and diff."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from math import exp
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.diff_lines import differences, more, show_differences
from nemuri.cli.memories import AgentArgument
from nemuri.cli.session import JsonOption, Session, agent_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

    from nemuri.client.client import Client
    from nemuri.operations.log_position_parsing import LogPosition
    from nemuri.operations.past_states import PastState
    from nemuri_domain.affective.aggregate import AffectAgent
    from nemuri_domain.strength.aggregate import Agent
    from nemuri_domain.strength.state_diff import MemoryState
    from nemuri_domain.tiered.aggregate import TiersAgent

DEFAULT_ROWS = 10
"""Default number of rows in each table."""
TopOption = Annotated[int, typer.Option("--top", metavar="K", min=0, help="Maximum number of rows in each table.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    for command in (state, diff):
        app.command()(command)


def state(
    context: typer.Context,
    agent: AgentArgument,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="PLACE",
            help="An event's number, a time (UTC if it has no zone), or a time span before now such as 2h.",
        ),
    ] = None,
    top: TopOption = DEFAULT_ROWS,
    json: JsonOption = False,
) -> None:
    """Show the state of an agent's memory now, after a given event, or at a given time.

    The state is folded from the log. It needs the NATS server, and no running service.
    """
    from nemuri.terminal.output import say_json

    session, name, place = Session.of(context, json=json), agent_id(agent), read_place(at)
    [past] = session.run(lambda client: _as_of(client, name, place))
    if session.json:
        say_json(_state(past, place))
    else:
        _show_state(past, place, top)


def diff(
    context: typer.Context,
    agent: AgentArgument,
    since: Annotated[
        str,
        typer.Option(
            "--from", metavar="PLACE", help="Start: an event's number, a time, or a time span before now such as 2h."
        ),
    ],
    to: Annotated[
        str | None, typer.Option("--to", metavar="PLACE", help="End, in the same forms. Default: now.")
    ] = None,
    top: TopOption = DEFAULT_ROWS,
    json: JsonOption = False,
) -> None:
    """Show the changes of an agent's memory between two positions of the log."""
    from nemuri.operations.log_position_parsing import LogPositionError
    from nemuri.terminal.output import say, say_json
    from nemuri_domain.strength.state_diff import Differences

    session, name = Session.of(context, json=json), agent_id(agent)
    places = read_place(since), read_place(to)
    one, other = session.run(lambda client: _by_use(client, name, *places))
    if one.events > other.events:
        raise LogPositionError(f"--from {places[0].text} is later than --to {places[1].text}; swap them")
    found = Differences.between(one.mind, other.mind)
    if session.json:
        say_json({"agent_id": name, "from": _where(one), "to": _where(other)} | differences(found))
        return
    say(f"{name} from {_moment(one, places[0])} to {_moment(other, places[1])}")
    slept = _agent(other).slept - _agent(one).slept
    say(f"{other.events - one.events} events of the agent between them, {slept} sessions slept over")
    show_differences(found, top)


def read_place(text: str | None) -> "LogPosition":
    """Return the log position for the text of an option; None means the end of the log.

    Raises `LogPositionError` if the text is not a position.
    """
    from datetime import UTC, datetime

    from nemuri.operations.log_position_parsing import LogPosition

    return LogPosition.read(text, datetime.now(UTC))


async def _by_use(client: "Client", name: str, *places: "LogPosition") -> "list[PastState]":
    from nemuri.operations.past_states import check_use

    await check_use(client.log, name)
    return await _as_of(client, name, *places)


async def _as_of(client: "Client", name: str, *places: "LogPosition") -> "list[PastState]":
    from nemuri.operations.log_position_parsing import LogPositionError
    from nemuri.operations.past_states import as_of, check_defined
    from nemuri.terminal.output import progress

    await check_defined(client.log, name)
    with progress("reading") as show:
        found = await as_of(client.log, name, places, show)
    for past, place in zip(found, places, strict=True):
        if past.mind.agent is None:
            raise LogPositionError(f"{name} was not defined yet at {place.text}; give a later position")
    return found


def _agent(past: "PastState") -> "Agent":
    if past.mind.agent is None:
        raise LookupError("the agent has not been defined")
    return past.mind.agent


def _where(past: "PastState") -> dict[str, Any]:
    return {"sequence": past.sequence, "recorded_at": past.at.isoformat() if past.at else None}


def _moment(past: "PastState", place: "LogPosition") -> str:
    """Return the position as text, followed by the number and time of the agent's last event up to it."""
    return f"{_named(place)} (last event {past.sequence}, {when(past.at)})"


def _named(place: "LogPosition") -> str:
    if place.sequence is not None:
        return f"event {place.sequence}"
    return "now" if place.time is None else when(place.time)


def when(at: "datetime | None") -> str:
    """Return a time in UTC for text output."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else "never"


def _state(past: "PastState", place: "LogPosition") -> dict[str, Any]:
    """Return the agent's whole state as JSON values. The fields depend on the agent's kind of memory."""
    agent = _agent(past)
    if (other := past.affect.agent or past.tiers.agent) is not None:
        rules = {"definition": agent.definition, "policy": other.rules.model_dump(mode="json")}
        return {"asked": place.text, **_where(past), "events": past.events, **other.model_dump(mode="json"), **rules}
    fields = agent.model_dump(mode="json", exclude={"policy", "next_policy", "active", "archived"})
    return {
        "asked": place.text,
        **_where(past),
        "events": past.events,
        **fields,
        "policy": agent.rules.model_dump(mode="json"),
        "next_policy": None if agent.next_policy is None else agent.coming.model_dump(mode="json"),
        "scorer": None if past.mind.scorer is None else past.mind.scorer.number,
        "levels": [
            {"level": level, "clock": clock, "active": active, "archived": archived}
            for level, clock, active, archived in _levels(past)
        ],
        "memories": [
            {"memory_id": each, **standing.model_dump(mode="json"), "content": content}
            for each, standing, content in _strongest(past)
        ],
        "courses": [
            {"course": title, "read": read, "chapters": chapters, "finished": finished}
            for title, read, chapters, finished in _courses(past)
        ],
    }


def _strongest(past: "PastState") -> "list[tuple[UUID, MemoryState, str]]":
    """Return the id, state and content of every memory, strongest first."""
    from nemuri_domain.strength.state_diff import MemoryState

    mind = past.mind
    known = ((each, MemoryState.of(mind, each)) for each in mind.memories)
    rows = [(each, standing, mind.contents[each].memory.content) for each, standing in known if standing]
    return sorted(rows, key=lambda row: (-row[1].strength, str(row[0])))


def _levels(past: "PastState") -> list[tuple[int, float, int, int]]:
    """Return a row for each level: its number, its decay clock, and its numbers of active and of archived memories."""
    agent, gone = _agent(past), [0] * len(_agent(past).active)
    for each in past.mind.memories.values():
        gone[each.level] += each.status == "archived"
    return [
        (level, clock, active, archived)
        for level, (clock, active, archived) in enumerate(zip(agent.clocks, agent.active, gone, strict=True))
    ]


def _courses(past: "PastState") -> list[tuple[str, int, int, bool]]:
    known = [each.course for each in past.courses.values() if each.course]
    return [
        (each.textbook.title, len(each.readings), len(each.textbook.chapters), each.finished_at is not None)
        for each in known
    ]


def _show_state(past: "PastState", place: "LogPosition", top: int) -> None:
    from nemuri.terminal.output import say, short, table

    agent = _agent(past)
    if past.affect.agent is not None:
        _show_affect(past, past.affect.agent, place)
        return
    if past.tiers.agent is not None:
        _show_tiers(past, past.tiers.agent, place)
        return
    awake = f"; {len(agent.awake)} more ended and wait for a sleep" if agent.awake else ""
    say(f"{agent.agent_id}, {agent.definition.role}, as of {_moment(past, place)}")
    say(f"perspectives  {', '.join(agent.definition.perspective_names)}")
    say(f"slept over    {agent.slept} sessions, last {when(agent.last_slept_at)}{awake}")
    say(f"policy        {_parameters(agent.rules.differing)}")
    if agent.next_policy is not None:
        say(f"next sleep    {_parameters(agent.coming.differing)}")
    for title, read, chapters, finished in _courses(past):
        say(f"course        {title}: {read} of {chapters} chapters read{', finished' if finished else ''}")
    say(f"memories      {sum(agent.active)} active, {agent.archived} archived\n")
    columns = ("level", "clock", "left of 1.0", "active", "archived")
    rows = [(level, f"{clock:.4f}", f"{exp(clock):.3f}", *counts) for level, clock, *counts in _levels(past)]
    table(columns, rows, numbers=columns)
    active = [each for each in _strongest(past) if each[1].status == "active"]
    strongest = [
        (each, f"{at.strength:.3f}", at.level, at.access_count, at.candidate_count, short(text, 80))
        for each, at, text in active[:top]
    ]
    if strongest:
        say("")
        numbers = ("strength", "level", "used", "seen")
        table(("memory", *numbers, "content"), strongest, numbers=numbers, spare=("seen", "used", "level"))
        more(len(active) - len(strongest))


def _show_affect(past: "PastState", felt: "AffectAgent", place: "LogPosition") -> None:
    from nemuri.terminal.output import say, table

    say(f"{felt.agent_id}, {_agent(past).definition.role}, as of {_moment(past, place)}")
    say(f"nights        {felt.nights}, last {felt.last_night or 'never'}")
    say(f"policy        {_parameters(felt.rules.differing)}")
    say(f"memories      {felt.number} affective, and {felt.protected} protected\n")
    names = ("1 whole", "2 summary", "3 keywords", "4 archived")
    columns = ("level", "memories")
    table(columns, list(zip(names, felt.levels, strict=True)), numbers=("memories",))


def _show_tiers(past: "PastState", tiered: "TiersAgent", place: "LogPosition") -> None:
    from nemuri.terminal.output import say

    say(f"{tiered.agent_id}, {_agent(past).definition.role}, as of {_moment(past, place)}")
    say(f"consolidated  {f'last for {tiered.consolidated_for}' if tiered.consolidated_for else 'never'}")
    say(f"policy        {_parameters(tiered.rules.differing)}")
    say(f"memories      {tiered.short} in short-term memory, {tiered.long} in long-term memory")


def _parameters(parameters: "Mapping[str, Any]") -> str:
    return ", ".join(f"{name} {value}" for name, value in parameters.items()) or "the defaults"
