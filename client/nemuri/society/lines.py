"""Terminal output about a society and its runs."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from nemuri.terminal.screen import say, say_json, table
from nemuri_contracts.society import TokenUse, total

if TYPE_CHECKING:
    from nemuri.society.report import RunReport
    from nemuri.society.run import SocietyFigures
    from nemuri_contracts.society import Society

PROGRESS_SECONDS = 10.0
"""Seconds of the simulation between two lines of progress."""


def progress_printer(society: "Society", *, quiet: bool) -> Callable[["SocietyFigures"], None]:
    """Return a function that prints a line of progress every ten seconds of the simulation."""
    last = -PROGRESS_SECONDS

    def tell(seen: "SocietyFigures") -> None:
        nonlocal last
        if quiet or seen.second - last < PROGRESS_SECONDS:
            return
        last = seen.second
        here = [each for each in seen.living.values() if each.agents]
        agents, runs = sum(each.agents for each in here), sum(sum(each.runs.values()) for each in seen.told.values())
        asked = sum(waits.answered for each in seen.told.values() for waits in each.waits.values())
        spent = sum((total(each.token_use) for each in seen.told.values()), TokenUse())
        say(
            f"{society.name}: second {seen.second:.0f}, {agents} agents on {len(here)} hosts, "
            f"{runs} runs, {asked} answers{tokens(spent)}"
        )

    return tell


def print_report(lived: "RunReport", *, json: bool) -> None:
    """Print the report of a run."""
    if json:
        say_json(lived.model_dump(mode="json"))
        return
    say(f"{lived.society}: {lived.agents} agents, {lived.seconds:.0f} of its seconds in {lived.wall:.0f} on the wall")
    if lived.items is not None:
        say(f"an agent held {lived.items:g} different items and reached {lived.achievements:g} achievements on average")
    rows = [
        (module, f"{rate:.3f}", *(_late(lived.tardiness.get(module, {}), share) for share in ("50", "99")))
        for module, rate in lived.rates.items()
    ]
    table(
        ["module", "runs/s per agent", "late p50", "late p99"],
        rows,
        numbers=["runs/s per agent", "late p50", "late p99"],
    )
    waits = [
        (
            rank,
            each.answered,
            each.shared,
            each.failed,
            f"{each.mean:.2f} s",
            f"{each.longest:.2f} s",
            f"{each.unfairness:.2f}",
        )
        for rank, each in {**lived.waits, "all": lived.asked}.items()
    ]
    columns = ["rank", "answered", "shared", "failed", "mean wait", "longest", "unfairness"]
    table(columns, waits, numbers=columns[1:])
    _show_spent(lived)
    say(
        f"longest silence {lived.silence:.0f} s; {lived.waiting} wait for their turn at a model; "
        f"{lived.conflicts} conflicts"
    )
    for module, count in sorted(lived.failures.items()):
        say(f"{module} failed {count} times")


def _show_spent(lived: "RunReport") -> None:
    """Print token usage, if models reported any. The scripted model reports none."""
    if not total(lived.token_use).tokens:
        return
    numbers = ["calls", "tokens in", "tokens out", "tokens a call"]
    rows = [
        (module, model, f"{each.calls:,}", f"{each.input_tokens:,}", f"{each.output_tokens:,}", _each(each))
        for module, models in lived.token_use.items()
        for model, each in models.items()
    ]
    whole = total(lived.token_use)
    last = ("all", "", f"{whole.calls:,}", f"{whole.input_tokens:,}", f"{whole.output_tokens:,}", _each(whole))
    table(["module", "model", *numbers], [*rows, last], numbers=numbers)
    most = next(iter(lived.top_spenders.items()), None)
    if most is not None:
        say(f"of {lived.agents} agents {most[0]} spent most: {most[1].tokens:,} tokens in {most[1].calls:,} calls")


def _each(spent: TokenUse) -> str:
    return f"{spent.tokens / max(1, spent.calls):,.0f}"


def tokens(spent: TokenUse) -> str:
    """Return the tokens as the rest of a line; empty if there are none."""
    return f", {spent.input_tokens:,} tokens in and {spent.output_tokens:,} out" if spent.tokens else ""


def _late(quantiles: Mapping[str, float], share: str) -> str:
    return f"<= {quantiles[share]:g} ms" if share in quantiles else "-"
