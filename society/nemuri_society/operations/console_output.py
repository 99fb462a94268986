"""Terminal output about a society and its runs."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from nemuri.terminal.output import say, say_json, table
from nemuri_society.contracts.society import TokenUse, total
from nemuri_society.operations.thinking_output import ThinkingNotices, pause_line

if TYPE_CHECKING:
    from nemuri_society.contracts.pace import Pace
    from nemuri_society.contracts.society import Society
    from nemuri_society.operations.comparison import Comparison
    from nemuri_society.operations.lifecycle import SocietyFigures
    from nemuri_society.operations.report import RunReport

PROGRESS_SECONDS = 10.0
"""Seconds of the simulation between two lines of progress."""


def progress_printer(society: "Society", *, quiet: bool) -> Callable[["SocietyFigures"], None]:
    """Return a function that prints a line of progress every ten seconds of the simulation, or none with `quiet`, and
    notices about the models.
    """
    last, notices = -PROGRESS_SECONDS, ThinkingNotices(society)

    def print_progress(seen: "SocietyFigures") -> None:
        nonlocal last
        notices.tell(seen)
        if quiet or seen.second - last < PROGRESS_SECONDS:
            return
        last = seen.second
        hosts = [health_report for health_report in seen.live_hosts.values() if health_report.agents]
        agents, runs = (
            sum(host.agents for host in hosts),
            sum(sum(vital.runs.values()) for vital in seen.vitals.values()),
        )
        answers = sum(waits.answered for vital in seen.vitals.values() for waits in vital.waits.values())
        spent = sum((total(vital.token_use) for vital in seen.vitals.values()), TokenUse())
        say(
            f"{society.name}: second {seen.second:.0f}, {agents} agents on {len(hosts)} hosts, "
            f"{runs} runs, {answers} answers{token_suffix(spent)}"
        )

    return print_progress


def print_report(report: "RunReport", *, json: bool) -> None:
    """Print the report of a run."""
    if json:
        say_json(report.model_dump(mode="json"))
        return
    say(
        f"{report.society}: {report.agents} agents, "
        f"{report.seconds:.0f} simulated seconds in {report.wall:.0f} real seconds"
    )
    if report.world_figures:
        figures = ", ".join(f"{figure:g} {name.replace('_', ' ')}" for name, figure in report.world_figures.items())
        say(f"mean per agent in the world: {figures}")
    rows = [
        (module, f"{rate:.3f}", *(_lateness(report.tardiness.get(module, {}), share) for share in ("50", "99")))
        for module, rate in report.rates.items()
    ]
    table(
        ["module", "runs/s per agent", "late p50", "late p99"],
        rows,
        numbers=["runs/s per agent", "late p50", "late p99"],
    )
    waits = [
        (rank, wait.answered, wait.shared, wait.failed, f"{wait.unfairness:.2f}") for rank, wait in report.waits.items()
    ]
    columns = ["rank", "answered", "shared", "failed", "unfairness"]
    table(columns, waits, numbers=columns[1:])
    _print_paces(report)
    _print_token_usage(report)
    say(
        f"longest time without a decision {report.silence:.0f} s; {report.waiting} modules wait for a model; "
        f"{report.conflicts} write conflicts"
    )
    if report.paused:
        say(pause_line(report.society, report.paused))
    if report.served is not None:
        say(f"the model could not keep up: it can serve about {report.served} of {report.agents} agents")
    for module, count in sorted(report.failures.items()):
        say(f"{module} failed {count} times")


def _print_paces(report: "RunReport") -> None:
    """Print how often each module that may ask a model ran, and how long its requests waited and were answered."""
    columns = ["module", "interval", "longest", "too long", "requests", "waited", "longest wait", "answered in"]
    rows = [
        (
            module,
            *_intervals(pace),
            pace.requests,
            f"{pace.wait:.2f} s",
            f"{pace.longest_wait:.2f} s",
            f"{pace.answer:.2f} s",
        )
        for module, pace in report.paces.items()
    ]
    table(columns, rows, numbers=columns[1:])


def _intervals(pace: "Pace") -> tuple[object, ...]:
    """Return the mean and the longest interval and the number of too long ones; dashes if a change starts each run."""
    return (f"{pace.interval:.1f} s", f"{pace.longest_interval:.1f} s", pace.late) if pace.runs else ("-",) * 3


def _print_token_usage(report: "RunReport") -> None:
    """Print token usage, if models reported any. The scripted model reports none."""
    if not total(report.token_use).tokens:
        return
    numbers = ["calls", "retries", "tokens in", "tokens out", "tokens per call", "money"]
    rows = [
        (
            module,
            model,
            *_usage(usage),
        )
        for module, models in report.token_use.items()
        for model, usage in models.items()
    ]
    table(["module", "model", *numbers], [*rows, ("all", "", *_usage(total(report.token_use)))], numbers=numbers)
    top_spender = next(iter(report.top_spenders.items()), None)
    if top_spender is not None:
        agent_id, use = top_spender
        money = f", {use.money:.4g} of money" if use.money else ""
        say(f"agent with the most tokens: {agent_id}, {use.tokens:,} tokens in {use.calls:,} calls{money}")
    if report.spent.tokens > total(report.token_use).tokens:
        say(f"since the society was created: {report.spent.tokens:,} tokens, {report.spent.money:.4g} of money")


def _usage(use: TokenUse) -> tuple[str, ...]:
    """Return the cells of the table of token usage: calls, retries, tokens and money. Money is "-" without a price."""
    amounts = (use.calls, use.retries, use.input_tokens, use.output_tokens)
    money = "-" if use.unpriced and not use.money else f"{use.money:.4g}"
    return (*(f"{amount:,}" for amount in amounts), _tokens_per_call(use), money)


def _tokens_per_call(spent: TokenUse) -> str:
    return f"{spent.tokens / max(1, spent.calls):,.0f}"


def token_suffix(spent: TokenUse) -> str:
    """Return the tokens as the rest of a line; empty if there are none."""
    return f", {spent.input_tokens:,} tokens in and {spent.output_tokens:,} out" if spent.tokens else ""


def _lateness(quantiles: Mapping[str, float], share: str) -> str:
    return f"<= {quantiles[share]:g} ms" if share in quantiles else "-"


def print_comparison(found: "Comparison") -> None:
    """Print how two societies differ."""
    one, other = found.names
    if found.fork is None:
        say(f"{one} and {other} are not forked from each other; compared up to second {found.until:.0f}")
    else:
        same = "equal" if found.equal_until_fork else "NOT equal"
        say(f"{one} and {other} are {same} until second {found.fork:.2f}; compared up to second {found.until:.0f}")
    if not found.differences:
        say("since then there is no difference on record")
        return
    numbers = ["both", f"only {one}", f"only {other}"]
    rows = [
        (difference.name, difference.kind, difference.both, difference.only_first, difference.only_second)
        for difference in found.differences
    ]
    table(["agent", "kind", *numbers], rows, numbers=numbers)
    for difference in found.differences:
        for society, texts in ((one, difference.first), (other, difference.second)):
            if texts:
                say(f"{difference.name}, {difference.kind}, only {society}: {' | '.join(texts)}")
