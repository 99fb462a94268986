"""Commands that steer a society: society pause, step, continue, inject, budget."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import JsonOption, Session
from nemuri_society.cli.society_options import AgentArgument, NameArgument, budget_of, checked_line, with_log

if TYPE_CHECKING:
    from nemuri_infra.bus.event_log import Log


def register(group: typer.Typer) -> None:
    """Add the commands of this module to the society commands."""
    for command in (inject, pause, step):
        group.command()(command)
    group.command("continue")(go_on)
    group.command()(budget)


def inject(
    context: typer.Context,
    name: NameArgument,
    agent: AgentArgument,
    belief: Annotated[
        str | None, typer.Option("--belief", metavar="TEXT", help="What it believes from now on.")
    ] = None,
    event: Annotated[str | None, typer.Option("--event", metavar="TEXT", help="What it perceives now.")] = None,
    law: Annotated[
        str | None, typer.Option("--law", metavar="TEXT", help="A law that holds for it from now on.")
    ] = None,
) -> None:
    """Give an agent a belief, an event or a law, in a running society or before it goes on."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.society_steering import inject as give

    given: list[tuple[Literal["belief", "event", "law"], str | None]] = [
        ("belief", belief), ("event", event), ("law", law)
    ]  # fmt: skip
    texts = [(sort, text) for sort, text in given if text is not None]
    if len(texts) != 1:
        raise WrongUse("give exactly one of --belief, --event and --law")
    [(sort, text)] = texts
    checked_line(f"--{sort}", text)
    session = Session.of(context)
    resident, has_it = with_log(session, lambda log, _: give(log, name, agent, sort, text), start=True)
    when = "has" if has_it else f"will get, when {name} goes on,"
    say(f"{resident.name} {when} the {sort}: {text}")


def pause(context: typer.Context, name: NameArgument) -> None:
    """Let the clock of a running society stand still."""
    from nemuri_society.operations.society_steering import pause_society

    _steer(context, lambda log: pause_society(log, name), f"{name} stands still at")


def step(
    context: typer.Context,
    name: NameArgument,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", min=0.01, max=86_400, help="Seconds of its clock.")
    ] = 1.0,
) -> None:
    """Let a running society go on for some seconds, and stand still afterwards."""
    from nemuri_society.operations.society_steering import step_society

    _steer(context, lambda log: step_society(log, name, seconds), f"{name} stands still at")


def go_on(context: typer.Context, name: NameArgument) -> None:
    """Let the clock of a paused society run on."""
    from nemuri_society.operations.society_steering import continue_society

    _steer(context, lambda log: continue_society(log, name), f"{name} runs on from")


def _steer(context: typer.Context, steered: Callable[["Log"], Awaitable[float]], told: str) -> None:
    """Steer the clock of a society, and print the second at which it stands."""
    from nemuri.terminal.output import say

    say(f"{told} second {with_log(Session.of(context), lambda log, _: steered(log), start=True):.2f}")


def budget(
    context: typer.Context,
    name: NameArgument,
    limit: Annotated[
        Any,
        typer.Argument(
            metavar="BUDGET",
            parser=budget_of,
            help="The new budget: tokens, or `money=X` by the price list, or both. Default: show the present one.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what the models of a society have used, or replace its budget while it runs or stands still."""
    from nemuri.terminal.output import say, say_json
    from nemuri_society.operations.budgets import budget_state, change_budget
    from nemuri_society.operations.thinking_output import budget_line

    session = Session.of(context, json=json)
    if limit is None:
        state = with_log(session, lambda log, _: budget_state(log, name), start=True)
    else:
        models = session.settings().model_settings()
        state = with_log(session, lambda log, _: change_budget(log, models, name, limit), start=True)
    if session.json:
        say_json(state.model_dump(mode="json"))
    else:
        say(budget_line(state))
