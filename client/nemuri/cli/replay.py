"""The command `replay`, which compares the recorded memories of agents with those under another policy."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.diff_lines import more, show_differences
from nemuri.cli.past_states import DEFAULT_ROWS, TopOption, when
from nemuri.cli.session import JsonOption, Session, agent_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from nemuri.client.client import Client
    from nemuri.operations.log_position_parsing import LogPosition
    from nemuri_domain.counterfactual.replay import CounterfactualReplay
    from nemuri_domain.strength.aggregate import Mind

HEADS = {
    "archived": "archived only under the other policy",
    "returned": "archived only as recorded",
    "levels": "at another level (recorded → other policy)",
    "stronger": "stronger under the other policy (recorded → other policy)",
    "weaker": "weaker under the other policy (recorded → other policy)",
    "began": "only under the other policy",
    "gone": "only as recorded",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(replay)


def replay(
    context: typer.Context,
    policy: Annotated[
        Path,
        typer.Option(
            "--what-if", metavar="POLICY.yaml", help="The other policy, as parameters in YAML.", show_default=False
        ),
    ],
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="AGENT", help="Only this agent. Default: all agents with strength memory."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PLACE",
            help="Start of the other policy: an event's number, a time, or a time span before now such as 2h.",
        ),
    ] = None,
    top: TopOption = DEFAULT_ROWS,
    json: JsonOption = False,
) -> None:
    """Compare the agents' memories with those that another policy would have led to. Nothing is changed.

    Tasks, answers and uses stay as recorded. Sleeps are decided again under the other policy.
    """
    from nemuri.admin.agent_definitions import read_policy
    from nemuri.operations.log_position_parsing import read_place
    from nemuri.operations.policy_replays import FIRST_ORDER, unanswered
    from nemuri.terminal.output import say, say_json

    session, position = Session.of(context, json=json), None if since is None else read_place(since)
    name = None if agent is None else agent_id(agent)
    parameters = read_policy(policy)

    async def work(client: "Client") -> list[dict[str, Any]]:
        from nemuri.operations.past_states import agents_of, check_use, extent, replay_with

        if name is not None:
            await check_use(client.log, name)
        (await extent(client.log)).check(position or read_place(None))
        if not session.json:
            say(_asked(parameters, position))
            say(FIRST_ORDER)
        plain = []
        for agent in (name,) if name is not None else await agents_of(client.log):
            with _reading(agent) as show:
                found = await replay_with(client.log, agent, parameters, position, show)
            if session.json:  # one agent at a time, so that only one state is in memory
                plain.append(_plain(agent, found))
            else:
                _show(agent, found, top)
        return plain

    found = session.run(work)
    if session.json:
        asked = {"parameters": dict(parameters), "from": position.text if position else None}
        say_json(asked | {"answer": FIRST_ORDER, "unanswered": unanswered(parameters), "agents": found})


def _reading(name: str) -> Any:
    from nemuri.terminal.output import progress

    return progress(f"folding {name}")


def _asked(parameters: "Mapping[str, JsonValue]", position: "LogPosition | None") -> str:
    from nemuri.operations.policy_replays import unanswered

    given = ", ".join(f"{name} {value}" for name, value in parameters.items()) or "nothing else"
    lines = [f"what if {given}{f', since {position.text}' if position else ''}"]
    if idle := unanswered(parameters):
        lines.append(f"the log cannot show the effect of {', '.join(idle)}: no difference below comes from it")
    return "\n".join(lines)


def _archived(mind: "Mind") -> int:
    return mind.agent.archived if mind.agent else 0


def _show(name: str, found: "CounterfactualReplay", top: int) -> None:
    from nemuri.terminal.output import say, table
    from nemuri_domain.strength.state_diff import Differences

    say(f"\n{name}")
    if found.other.agent is None or found.recorded.agent is None:
        say("the log has no events of this agent")
        return
    recalls, other = found.recalls, [recall for recall in found.recalls if recall.gained or recall.lost]
    sleeps, exact = found.sleeps, sum(recall.explained for recall in recalls)
    say(
        f"control   under the recorded policy {sleeps.explained} of {sleeps.slept} sleeps and {exact} of "
        f"{len(recalls)} retrievals come out as recorded"
    )
    shown = Differences.between(found.recorded, found.other)
    if not (shown.changes or other or found.missed):
        say("result    no differences in levels, strengths, archive and retrievals")
        return
    say(f"archived  {_archived(found.recorded)} as recorded, {_archived(found.other)} under the other policy")
    rows = [("as recorded", *found.recorded.agent.active), ("other policy", *found.other.agent.active)]
    names = [f"level {level}" for level in range(len(found.other.agent.active))]
    table(("active", *names), rows, numbers=names)
    show_differences(Differences(shown.changes, {}, {}), top, HEADS)
    say(f"\nretrievals with another context under the other policy: {len(other)} of {len(recalls)}")
    _show_recalls(found, top)
    if found.missed:
        say(f"\nmissed uses: {len(found.missed)}")
        _show_missed(found, top)


def _show_recalls(found: "CounterfactualReplay", top: int) -> None:
    from nemuri.terminal.output import short, table

    other = [recall for recall in found.recalls if recall.gained or recall.lost]
    rows = [
        (
            recall.sequence,
            str(recall.task_id or "-"),
            f"+{len(recall.gained)} -{len(recall.lost)}",
            short(recall.query, 80),
        )
        for recall in other[:top]
    ]
    if rows:
        table(("event", "task", "memories", "query"), rows, numbers=("event",))
    more(len(other) - len(rows))


def _show_missed(found: "CounterfactualReplay", top: int) -> None:
    from nemuri.terminal.output import short, table

    rows = [
        (event.sequence, when(event.at), event.kind, event.memory_id, short(_content(found, event.memory_id), 60))
        for event in found.missed[:top]
    ]
    if rows:
        table(("event", "time", "kind", "memory", "content"), rows, numbers=("event",), spare=("time", "kind"))
    more(len(found.missed) - len(rows))


def _content(found: "CounterfactualReplay", memory_id: Any) -> str:
    known = found.recorded.contents.get(memory_id)
    return known.memory.content if known else ""


def _plain(name: str, found: "CounterfactualReplay") -> dict[str, Any]:
    """Return a replay as JSON values, with the sorts of differences beside the others."""
    from nemuri.operations.policy_replays import replay_answer

    known = replay_answer(name, found).model_dump(mode="json", by_alias=True)
    named = {"archived": "archived_only_under_other", "returned": "archived_only_as_recorded"}
    compared = known.pop("difference")
    return known | {named.get(sort, sort): changes for sort, changes in compared.items() if sort in HEADS}
