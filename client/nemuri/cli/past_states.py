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

    from nemuri.client.client import Client
    from nemuri.operations.log_position_parsing import LogPosition
    from nemuri.operations.past_states import PastState
    from nemuri_domain.affective.aggregate import AffectAgent
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
    from nemuri.operations.agent_states import agent_states
    from nemuri.operations.log_position_parsing import read_place
    from nemuri.terminal.output import progress

    session, name, position = Session.of(context, json=json), agent_id(agent), read_place(at)

    async def work(client: "Client") -> "list[PastState]":
        with progress("reading") as show:
            return await agent_states(client.log, name, [position], show)

    [past] = session.run(work)
    session.show(_state(past, position), lambda: _show_state(past, position, top))


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
    from nemuri.operations.agent_states import agent_in, moment_of, two_states
    from nemuri.operations.log_position_parsing import read_place
    from nemuri.terminal.output import progress, say, say_json
    from nemuri_domain.strength.state_diff import Differences

    session, name = Session.of(context, json=json), agent_id(agent)
    places = read_place(since), read_place(to)

    async def work(client: "Client") -> "tuple[PastState, PastState]":
        with progress("reading") as show:
            return await two_states(client.log, name, *places, show)

    one, other = session.run(work)
    found = Differences.between(one.mind, other.mind)
    if session.json:
        say_json({"agent_id": name, "from": moment_of(one), "to": moment_of(other)} | differences(found))
        return
    say(f"{name} from {_moment(one, places[0])} to {_moment(other, places[1])}")
    slept = agent_in(other).slept - agent_in(one).slept
    say(f"{other.events - one.events} events of the agent between them, {slept} sessions slept over")
    show_differences(found, top)


def _moment(past: "PastState", position: "LogPosition") -> str:
    """Return the position as text, followed by the number and time of the agent's last event up to it."""
    return f"{_named(position)} (last event {past.sequence}, {when(past.at)})"


def _named(position: "LogPosition") -> str:
    if position.sequence is not None:
        return f"event {position.sequence}"
    return "now" if position.time is None else when(position.time)


def when(at: "datetime | None") -> str:
    """Return a time in UTC for text output."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else "never"


def _state(past: "PastState", position: "LogPosition") -> dict[str, Any]:
    """Return the agent's whole state as JSON values, with the fields of the agent beside the others."""
    from nemuri.operations.agent_states import state_answer

    known: dict[str, Any] = state_answer(past, position).model_dump(mode="json")
    fields, kind = known.pop("fields"), known.pop("kind")
    if kind != "strength":
        return {**{name: known[name] for name in ("asked", "sequence", "recorded_at", "events")}, **fields}
    memories = [
        {"memory_id": memory["memory_id"], **memory["state"], "content": memory["content"]}
        for memory in known["memories"]
    ]
    return {**known, **fields, "memories": memories}


def _show_state(past: "PastState", position: "LogPosition", top: int) -> None:
    from nemuri.operations.agent_states import agent_in, courses_in, levels_in, memories_in
    from nemuri.terminal.output import say, short, table

    agent = agent_in(past)
    if past.affect.agent is not None:
        _show_affect(past, past.affect.agent, position)
        return
    if past.tiers.agent is not None:
        _show_tiers(past, past.tiers.agent, position)
        return
    awake = f"; {len(agent.awake)} more ended and wait for a sleep" if agent.awake else ""
    say(f"{agent.agent_id}, {agent.definition.role}, as of {_moment(past, position)}")
    say(f"perspectives  {', '.join(agent.definition.perspective_names)}")
    say(f"slept over    {agent.slept} sessions, last {when(agent.last_slept_at)}{awake}")
    say(f"policy        {_parameters(agent.rules.differing)}")
    if agent.next_policy is not None:
        say(f"next sleep    {_parameters(agent.coming.differing)}")
    for course in courses_in(past):
        ending = ", finished" * course.finished
        say(f"course        {course.course}: {course.read} of {course.chapters} chapters read{ending}")
    say(f"memories      {sum(agent.active)} active, {agent.archived} archived\n")
    columns = ("level", "clock", "left of 1.0", "active", "archived")
    rows = [
        (
            level_state.level,
            f"{level_state.clock:.4f}",
            f"{exp(level_state.clock):.3f}",
            level_state.active,
            level_state.archived,
        )
        for level_state in levels_in(past)
    ]
    table(columns, rows, numbers=columns)
    active = [
        (past_memory, past_memory.state) for past_memory in memories_in(past) if past_memory.state.status == "active"
    ]
    strongest = [
        (
            memory.memory_id,
            f"{at.strength:.3f}",
            at.level,
            at.access_count,
            at.candidate_count,
            short(memory.content, 80),
        )
        for memory, at in active[:top]
    ]
    if strongest:
        say("")
        numbers = ("strength", "level", "used", "seen")
        table(("memory", *numbers, "content"), strongest, numbers=numbers, spare=("seen", "used", "level"))
        more(len(active) - len(strongest))


def _show_affect(past: "PastState", felt: "AffectAgent", position: "LogPosition") -> None:
    from nemuri.operations.agent_states import agent_in
    from nemuri.terminal.output import say, table

    say(f"{felt.agent_id}, {agent_in(past).definition.role}, as of {_moment(past, position)}")
    say(f"nights        {felt.nights}, last {felt.last_night or 'never'}")
    say(f"policy        {_parameters(felt.rules.differing)}")
    say(f"memories      {felt.number} affective, and {felt.protected} protected\n")
    names = ("1 whole", "2 summary", "3 keywords", "4 archived")
    columns = ("level", "memories")
    table(columns, list(zip(names, felt.levels, strict=True)), numbers=("memories",))


def _show_tiers(past: "PastState", tiered: "TiersAgent", position: "LogPosition") -> None:
    from nemuri.operations.agent_states import agent_in
    from nemuri.terminal.output import say

    say(f"{tiered.agent_id}, {agent_in(past).definition.role}, as of {_moment(past, position)}")
    say(f"consolidated  {f'last for {tiered.consolidated_for}' if tiered.consolidated_for else 'never'}")
    say(f"policy        {_parameters(tiered.rules.differing)}")
    say(f"memories      {tiered.short} in short-term memory, {tiered.long} in long-term memory")


def _parameters(parameters: "Mapping[str, Any]") -> str:
    return ", ".join(f"{name} {value}" for name, value in parameters.items()) or "the defaults"
