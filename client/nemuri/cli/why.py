"""The command `why`, which explains the routing and the retrievals of a task."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.session import JsonOption, Session
from nemuri.cli.tasks import TaskArgument

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_contracts.explanation_views import ExplainedCandidate, Explanation, Routing
    from nemuri_contracts.tasks import AgentScore

DEFAULT_CANDIDATES = 10
"""Default number of candidates shown for each assignment."""
WIDTH = 80
"""Maximum width of a line above or below a table, in columns."""
"""Beginning of the names of rankings that use the similarity as it is. Other rankings scale it over all candidates."""
SHORT = {
    "similarity": "simil",
    "strength": "strength",
    "perspective_strength": "persp",
    "access_ratio": "ratio",
    "recency": "recency",
    "impact_score": "impact",
    "tag_overlap": "tags",
    "is_principle": "princ",
    "perspective_match": "match",
}
"""Column heads of the nine features."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(why)


def why(
    context: typer.Context,
    task: TaskArgument,
    every: Annotated[bool, typer.Option("--all", help="Show every candidate, not only the first ten.")] = False,
    json: JsonOption = False,
) -> None:
    """Show why a task was routed to its agent, which memories were retrieved, and what decided their order."""
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)

    async def work(client: "Client") -> "tuple[Routing | None, tuple[Explanation, ...]]":
        return await client.routing(task), await client.why(task)

    routing, found = session.run(work)
    if session.json:
        say_json({"routing": routing, "retrievals": [_plain(explanation) for explanation in found]})
        return
    _show_routing(routing)
    if not found:
        say("nothing has been retrieved for the task yet")
    for explanation in found:
        _show(explanation, every=every)


def _show_routing(routing: "Routing | None") -> None:
    from nemuri.terminal.output import say, table

    if routing is None:
        say("the task has not been routed yet")
        return
    if routing.request:
        say(_line("understood as: ", routing.request))
    chosen = {choice.agent_id for choice in routing.choices}
    table(
        ("agent", "expertise", "history", "load", "total", "chosen"),
        [
            (score.agent_id, *(f"{value:.3f}" for value in _values(score)), "yes" if score.agent_id in chosen else "-")
            for score in routing.scores
        ],
        numbers=("expertise", "history", "load", "total"),
    )
    attempt = f", attempt {routing.attempt}" if routing.attempt > 1 else ""
    sure = "" if routing.confidence is None else f", confidence {routing.confidence:.2f}"
    say(f"decided by {routing.decided_by}{sure}; based on {routing.recalled} memories of similar past tasks{attempt}\n")


def _values(score: "AgentScore") -> tuple[float, float, float, float]:
    return score.expertise, score.history, score.load, score.total


def _show(explanation: "Explanation", *, every: bool) -> None:
    from nemuri.terminal.output import say, table

    view = f", perspective {explanation.perspective}" if explanation.perspective else ""
    step = f", step {explanation.step} recalled again" if explanation.step else ""
    say(_line(f"{explanation.agent_id}{view}{step}: ", explanation.query))
    say(f"ranked by {explanation.ranking}{', archive included' if explanation.deep else ''}")
    for kept in explanation.principles:
        say(_line(f"always in mind: {_label(kept.label)}{str(kept.memory_id)[:8]} ", kept.beginning))
    if not explanation.candidates:
        say("no relevant memory\n")
        return
    shown = explanation.candidates if every else explanation.candidates[:DEFAULT_CANDIDATES]
    table(
        ("#", "memory", "score", "relevance", "standing", "decided by", "content"),
        [_verdict(rank, candidate) for rank, candidate in enumerate(shown, 1)],
        numbers=("#", "score", "relevance"),
    )
    say(_legend())
    numbers = [line for rank, candidate in enumerate(shown, 1) for line in _numbers(rank, candidate)]
    table(("#", *SHORT.values()), numbers, numbers=("#", *SHORT.values()))
    left = len(explanation.candidates) - len(shown)
    say(f"{left} more with --all\n" if left else "")


def _line(beginning: str, text: str) -> str:
    """Return `beginning` and the start of the text as a line of `WIDTH` characters. At least 20 characters of text are
    kept.
    """
    from nemuri.terminal.output import short

    return beginning + short(text, max(WIDTH - len(beginning), 20))


def _legend() -> str:
    """Return the legend below the table of candidates."""
    return (
        "\nEach candidate has two lines: its features, and below them what each feature adds to the score.\n"
        "The additions make up the score minus that of the mean candidate.\n"
        "persp: strength under the perspective; ratio: times used / times in the context;\n"
        "princ: 1 for a principle; match: 1 if learned under this perspective."
    )


def _label(label: str | None) -> str:
    return f"[{label}] " if label else ""


def _verdict(rank: int, each: "ExplainedCandidate") -> tuple[object, ...]:
    from nemuri.terminal.output import short
    from nemuri.terminal.standing_marks import standing_mark

    known = each.candidate
    marks = (f"{_label(each.label)}{each.standing}", "archived" if known.archived else "", standing_mark(known)[1:-1])
    standing = ", ".join(filter(None, marks))
    return (
        rank,
        str(known.memory_id)[:8],
        f"{known.score:.3f}",
        f"{known.relevance:.2f}",
        standing,
        each.decided,
        short(each.beginning, 60),
    )


def _numbers(rank: int, each: "ExplainedCandidate") -> tuple[tuple[object, ...], tuple[object, ...]]:
    raw = (f"{value:.2f}" for value in each.candidate.features)
    added = (f"{value:+.3f}".replace("-0.000", "+0.000") for value in each.contributions)
    return (rank, *raw), ("", *added)


def _plain(explanation: "Explanation") -> dict[str, Any]:
    """Return the explanation as JSON values, with features and contributions by name."""
    from nemuri_contracts.strength import FEATURES

    rows = []
    for candidate in explanation.candidates:
        fields = candidate.candidate.model_dump(mode="json") | candidate.model_dump(mode="json", exclude={"candidate"})
        named = {name: dict(zip(FEATURES, fields[name], strict=True)) for name in ("features", "contributions")}
        rows.append(fields | named)
    return explanation.model_dump(mode="json", exclude={"candidates"}) | {"candidates": rows}
