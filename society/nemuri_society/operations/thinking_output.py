"""Terminal output about models: estimates before a run, notices during it, and the summary of repeated runs."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from nemuri.terminal.output import say, say_json, table
from nemuri_society.contracts.pace import Pace
from nemuri_society.operations.capacity import Capacity, capacity, merged, since
from nemuri_society.operations.estimate import demand_per_agent

if TYPE_CHECKING:
    from nemuri_society.contracts.society import HostHealthReport, Society
    from nemuri_society.operations.budgets import BudgetState
    from nemuri_society.operations.estimate import Estimate
    from nemuri_society.operations.lifecycle import SocietyFigures
    from nemuri_society.operations.repeated_runs import RepeatedFigure
    from nemuri_society.operations.report import RunReport

WINDOW_SECONDS: Final = 10.0
"""Wall-clock seconds of a run from which the capacity of the model is judged."""


class ThinkingNotices:
    """Notices about a run's models, each told once: the model cannot keep up, the budget is used, or was raised."""

    def __init__(self, society: "Society") -> None:
        """Create the notices of a run that has not begun."""
        self._society = society
        self._window: tuple[float, Mapping[str, Pace]] = (0.0, {})
        self._told = set[str]()

    def tell(self, figures: "SocietyFigures") -> None:
        """Print what is new in the newest figures to standard error."""
        hosts = [host for host in figures.live_hosts.values() if host.agents]
        for kind, line in self._lines(hosts):
            if kind not in self._told:
                self._told.add(kind)
                self._print(line)
        if "paused" in self._told and hosts and not any(host.paused for host in hosts):
            self._told.remove("paused")
            self._print("thinking goes on, because the budget was raised")

    def _print(self, line: str) -> None:
        print(f"{self._society.name}: {line}", file=sys.stderr, flush=True)

    def _lines(self, hosts: Sequence["HostHealthReport"]) -> Iterator[tuple[str, str]]:
        if paused := next((host.paused for host in hosts if host.paused), ""):
            yield "paused", pause_line(self._society.name, paused)
        seconds, paces = max((host.seconds for host in hosts), default=0.0), merged(host.paces for host in hosts)
        began, before = self._window
        if not paused and seconds - began >= WINDOW_SECONDS:
            agents, slots = sum(host.agents for host in hosts), self._society.concurrency
            found = capacity(since(paces, before), agents, seconds - began, slots, demand_per_agent(self._society))
            if found is not None:
                self._window = seconds, paces  # Otherwise the stretch goes on until it has enough requests.
            if found is not None and found.overloaded:
                yield "overloaded", overload_line(found, agents, slots)


def pause_line(society: str, reason: str) -> str:
    """Return the line that says that thinking is paused, and how it goes on."""
    return (
        f"thinking is paused: {reason}. Rules and reflexes go on. Raise the budget with"
        f" `nemuri society budget {society} N`"
    )


def budget_line(state: "BudgetState") -> str:
    """Return the line that says what a society has used of its budget."""
    tokens, money = state.budget.tokens, state.budget.money
    limits = [f"{tokens:,} tokens"] if tokens is not None else []
    limits += [f"{money:g} of money"] if money is not None else []
    used = f"{state.society} has used {state.used.tokens:,} tokens and {state.used.money:.4g} of money"
    return f"{used}; its budget is {' and '.join(limits)}" if limits else f"{used}; it has no budget"


def overload_line(found: Capacity, agents: int, slots: int) -> str:
    """Return the line that says that the model cannot keep up, and how many agents it can serve."""
    return (
        f"the model cannot keep up: it can serve about {found.served} of {agents} agents at the intervals of document"
        f" 002. Requests wait {found.wait:.1f} s for one of {slots} places, and an answer takes {found.answer:.1f} s."
        " Raise --slots if the provider allows more at once, or run fewer agents"
    )


def print_estimate(found: "Estimate", society: "Society") -> None:
    """Print what an hour of a society takes from models."""
    models = ", ".join(sorted(set(found.models.values()))) or "no language model is set up; rules think"
    money = "" if found.money is None else f", about {found.money:.2f} of money"
    say(
        f"an hour of {society.name} takes about {found.calls:,.0f} model calls with {found.input_tokens:,.0f} tokens in"
        f" and {found.output_tokens:,.0f} out{money} ({models})"
    )
    if found.unpriced:
        say(f"the price is not known: NEMURI_MODEL_PRICES lacks {', '.join(found.unpriced)}")
    if found.hours is not None:
        say(f"the budget lasts for about {_duration(found.hours)} of the society's clock")
    places = f"about {found.slots} concurrent calls of {society.concurrency}"
    line = f"at {found.answer_seconds:g} s an answer it needs {places}"
    enough = found.slots <= society.concurrency
    say(line if enough else f"{line}: about {found.served} of {len(society.agents)} agents keep their intervals")


def _duration(hours: float) -> str:
    """Return a duration in words, in the unit in which it has at least one digit before the point."""
    amounts = ((hours, "hours"), (hours * 60, "minutes"), (hours * 3_600, "seconds"))
    amount, unit = next((pair for pair in amounts if pair[0] >= 1), amounts[-1])
    return f"{amount:.2g} {unit}"


def print_summary(
    figures: Mapping[str, "RepeatedFigure"], reports: Sequence["RunReport"], planned: int, *, json: bool
) -> None:
    """Print the figures of repeated runs with their means and intervals."""
    if json:
        shown = {name: figure.model_dump(mode="json") for name, figure in figures.items()}
        say_json({"runs": [report.model_dump(mode="json") for report in reports], "planned": planned, "figures": shown})
        return
    say(f"{len(reports)} of {planned} runs: {', '.join(report.society for report in reports)}")
    rows = [
        (name, f"{figure.mean:.3g}", "-" if figure.low is None else f"{figure.low:.3g} to {figure.high:.3g}")
        for name, figure in figures.items()
    ]
    table(["figure", "mean", "95 % interval"], rows, numbers=["mean"])
