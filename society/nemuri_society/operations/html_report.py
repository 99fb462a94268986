"""The report of a society as one HTML page without scripts or other files, made from its record."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from nemuri_infra.bus.event_log import Log
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.contracts.society import Society, TokenUse
from nemuri_society.operations.charts import bar_chart, line_chart
from nemuri_society.operations.record_figures import (
    AgentFigures,
    RecordFigures,
    growth,
    per_minute,
    record_figures,
)
from nemuri_society.simulation.bootstrap import read_society, society_modules
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.stores.society_states import States

MAX_PEOPLE: Final = 100
"""Maximum number of agents in a table."""
MAX_MEMES: Final = 12
MAX_CURVES: Final = 5
MAX_KINDS: Final = 25
MAX_GIVEN: Final = 200


async def report_page(log: Log, name: str) -> str:
    """Return the report of a society, whether it runs or not. Raises `SocietyError` if it does not exist."""
    society, record = await read_society(await States.open(log, name)), SocietyRecord(log, name)
    figures = await record_figures(society, record.events())
    return render_report(society, figures, await record.missed())


def render_report(society: Society, figures: RecordFigures, missed: int) -> str:
    """Return the report as HTML."""
    names = {agent.id: agent.name for agent in society.agents}
    acts = sum((agent.acts for agent in figures.agents.values()), Counter[str]())
    return _template().render(
        society=society, figures=figures, missed=missed, modules=_modules(society, figures), waits=figures.waits,
        people=_people(society, figures), left_out=max(0, len(society.agents) - MAX_PEOPLE),
        charts={name: Markup(chart) for name, chart in _charts(figures).items()},  # noqa: S704 - charts escape names
        entropy=_bits(acts),
        own_entropy=fmean([_bits(agent.acts) for agent in figures.agents.values() if agent.acts] or [0.0]),
        memes=_memes(figures, names), costs=(costs := _costs(figures)),
        all_use=sum((row["use"] for row in costs), TokenUse()), spenders=_spenders(figures, names),
        given=_given(figures, names), votes=_votes(figures),
    )  # fmt: skip


def write_page(file: Path, page: str) -> None:
    """Write a page into a file, which appears when it is complete. Raises `OSError` if it cannot be written."""
    temporary = file.with_name(file.name + ".part")
    try:
        temporary.write_text(page, encoding="utf-8")
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


@cache
def _template() -> Template:
    loader = PackageLoader("nemuri_society.operations", "templates")
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).get_template("report.html")


def _modules(society: Society, figures: RecordFigures) -> list[dict[str, Any]]:
    """Return the pace of each module beside the intervals that the document allows."""
    specs = {module.spec.name: module.spec for module in society_modules(society, NoMemories())}
    paces = figures.paces
    return [
        {"name": name, "least": f"{specs[name].interval:g}", "most": specs[name].longest, "pace": pace}
        for name, pace in sorted(paces.items())
        if name in specs
    ]


def _people(society: Society, figures: RecordFigures) -> list[dict[str, Any]]:
    liked = Counter[str]()
    judges = Counter[str]()
    for agent in figures.agents.values():
        liked.update(agent.feelings)
        judges.update(agent.feelings.keys())
    return [
        _person(resident.name, resident.role, figures.agents[resident.id], figures.last)
        | {"liked": f"{liked[resident.name] / judges[resident.name]:.1f}" if judges[resident.name] else "–"}
        for resident in society.agents[:MAX_PEOPLE]
    ]


def _person(name: str, role: str | None, figures: AgentFigures, last: float) -> dict[str, Any]:
    """Return the row of an agent. `last` is the second at which the record ends, and with it the last silence."""
    felt = sorted(figures.feelings.items(), key=lambda pair: (-pair[1], pair[0]))
    silences = figures.silences
    longest = [*silences, last - figures.decided_at] if figures.decided_at is not None else []
    return {
        "name": name,
        "role": role,
        "figures": figures,
        "mean_silence": f"{fmean(silences):.1f}" if silences else "–",
        "longest_silence": f"{max(longest):.1f}" if longest else "–",
        "likes": _some(f"{other} {sentiment:g}" for other, sentiment in felt[:3]),
        "dislikes": _some(f"{other} {sentiment:g}" for other, sentiment in felt[:-4:-1]),
        "goals": _some(goal for goal, _ in figures.goals.most_common(3)),
        "acts": _some(f"{act} ({count})" for act, count in figures.acts.most_common(3)),
    }


def _some(parts: Iterable[str]) -> str:
    return ", ".join(parts) or "–"


def _charts(figures: RecordFigures) -> dict[str, str]:
    activity = {
        what: per_minute(figures.counts[kind], figures.last)
        for what, kind in (("decisions", "decision"), ("acts", "act"), ("utterances", "speech"))
        if figures.counts[kind]
    }
    items = [second for agent in figures.agents.values() for second in agent.items.values()]
    kinds = Counter(item for agent in figures.agents.values() for item in agent.items)
    moved = sorted(figures.liking.items(), key=lambda pair: (-pair[1].change, pair[0]))[:MAX_CURVES]
    feelings = {"mean": figures.feelings.curve} | {name: felt.curve for name, felt in moved if felt.change}
    memes = {text: growth([*phrase.speakers.values()]) for text, phrase in figures.spread[:MAX_CURVES]}
    last = figures.last
    return {
        "activity": line_chart("Events a minute, of all agents", activity, last),
        "feelings": line_chart("Opinions of all, and of those whose liking changed most, 0 to 10", feelings, last),
        "items": line_chart(
            "Different items that an agent has held, mean",
            {"items": growth(items, 1 / max(1, len(figures.agents)))} if items else {},
            last,
        ),
        "kinds": bar_chart("Agents that have held an item", dict(kinds.most_common(MAX_KINDS))),
        "memes": line_chart("Agents that have said a phrase", memes, last),
    }


def _memes(figures: RecordFigures, names: Mapping[str, str]) -> list[dict[str, Any]]:
    rows = []
    for text, phrase in figures.spread[:MAX_MEMES]:
        first = min(phrase.speakers, key=lambda agent: (phrase.speakers[agent], agent))
        rows.append(
            {
                "text": text,
                "agents": len(phrase.speakers),
                "first": names.get(first, first),
                "second": phrase.speakers[first],
            }
        )
    return rows


def _costs(figures: RecordFigures) -> list[dict[str, Any]]:
    return [
        {"module": module, "model": model, "use": use}
        for module, models in figures.token_use.items()
        for model, use in models.items()
        if use.calls
    ]


def _spenders(figures: RecordFigures, names: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"name": names.get(agent, agent), "use": use} for agent, use in figures.agent_use[:MAX_PEOPLE]]


def _given(figures: RecordFigures, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what agents were given or answered. What several got at once is told once, with their names."""
    return [
        {
            "second": second,
            "names": "all" if len(agents) == len(names) else ", ".join(names.get(agent, agent) for agent in agents),
            "kind": kind,
            "text": text,
        }
        for (second, kind, text), agents in sorted(figures.given.items())[:MAX_GIVEN]
    ]


def _votes(figures: RecordFigures) -> list[dict[str, Any]]:
    return [
        {
            "second": second,
            "matter": matter,
            "choices": ", ".join(
                f"{count} for {choice}" if choice is not None else f"{count} without a vote"
                for choice, count in sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
            ),
        }
        for (second, matter), counts in sorted(figures.votes.items())
    ]


def _bits(counts: Counter[str]) -> float:
    """Return the Shannon entropy of the counts in bits."""
    total = counts.total()
    return -sum(count / total * log2(count / total) for count in counts.values()) if total else 0.0
