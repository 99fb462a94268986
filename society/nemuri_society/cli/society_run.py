"""Commands that run a society: society run, check and resume."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session
from nemuri_society.cli.society_options import BudgetOption, LimitOption, NameArgument, SecondsOption, society_name

if TYPE_CHECKING:
    from nemuri_infra.bus.event_log import Log
    from nemuri_infra.runtime.settings import Settings
    from nemuri_society.contracts.society import Society
    from nemuri_society.operations.society_file import SocietyPlan

DEFAULT_AGENTS = 10
"""Number of generated agents of a society without a file."""


def register(group: typer.Typer) -> None:
    """Add the commands of this module to the group `society`."""
    for command in (run, check, resume):
        group.command()(command)


def run(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A society file. Default: generated agents.", dir_okay=False)
    ] = None,
    agents: Annotated[
        int | None,
        typer.Option("--agents", metavar="N", min=1, max=5_000, help="Number of generated agents. Default: 10."),
    ] = None,
    seconds: SecondsOption = None,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=1, max=1_000, help="Repeated runs, each with the next seed.")
    ] = 1,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="K", min=0, max=2**32 - 1, help="Seed of all random draws. Default: 0."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", callback=society_name, help="The society's name. Default: a generated one."
        ),
    ] = None,
    world: Annotated[
        str | None,
        typer.Option(
            "--world", metavar="NAME", help="The world: `grid`, `minecraft`, `forum`, or one of another package."
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option("--size", metavar="BLOCKS", min=64, max=4_096, help="Edge length of the grid world, in blocks."),
    ] = None,
    towns: Annotated[
        int | None,
        typer.Option(
            "--towns", metavar="N", min=0, max=64, help="Number of towns to start in. Default: one for every 25 agents."
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", metavar="HZ", min=0.1, max=20, help="Steps of the world in a real second. Default: 4."),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option("--speed", metavar="X", min=0.01, max=100, help="Simulated seconds in one real second."),
    ] = None,
    hosts: Annotated[
        int | None, typer.Option("--hosts", metavar="N", min=1, max=64, help="Number of agent host processes.")
    ] = None,
    limit: LimitOption = 500,
    checkpoint_every: Annotated[
        float | None,
        typer.Option(
            "--checkpoint-every",
            metavar="S",
            min=1,
            help="Real seconds between two checkpoints. Default: 300, or 600 above 400 agents.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="MODULE", help="A cognitive module to leave out; repeatable."),
    ] = None,
    plugins: Annotated[
        list[str] | None, typer.Option("--plugin", metavar="NAME", help="A module from another package; repeatable.")
    ] = None,
    slots: Annotated[
        int | None,
        typer.Option(
            "--slots",
            metavar="N",
            min=1,
            max=10_000,
            help="Maximum number of concurrent model calls. Default: three for each agent, 50 to 200.",
        ),
    ] = None,
    latency: Annotated[
        float | None,
        typer.Option(
            "--latency", metavar="S", min=0, max=60, help="Mean response time of the scripted thinker, in seconds."
        ),
    ] = None,
    budget: BudgetOption = None,
    json: JsonOption = False,
) -> None:
    """Create a society from a file or from options, and run it. If no platform runs, it uses a server of its own."""
    given = {
        "name": name, "seed": seed, "world": world, "size": size, "rate": rate, "speed": speed, "hosts": hosts,
        "latency": latency, "checkpoint_every": checkpoint_every, "without": without or None,
        "plugins": plugins or None, "slots": slots, "budget": budget,
    }  # fmt: skip
    if file is None:
        given |= {"generate": agents or DEFAULT_AGENTS, "towns": towns, "name": name or f"society-{seed or 0}"}
    elif agents is not None or towns is not None:
        raise WrongUse(
            "--agents and --towns are for a society without a file; write `generate` and `towns` in the file"
        )
    if runs > 1 and seconds is None:
        raise WrongUse("--runs needs --seconds, because a run without them does not end")
    session = Session.of(context, json=json)
    societies = _societies(
        session, file, {key: value for key, value in given.items() if value is not None}, runs, limit
    )
    if not json:
        _print_estimate(session, societies[0])
    _run_all(session, societies, seconds, limit)


def check(
    context: typer.Context, file: Annotated[Path, typer.Argument(metavar="FILE", help="A society file.")]
) -> None:
    """Say what is wrong in a society file, each fault in one line with its path; or what running it would take."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.society_file import SocietyFileError

    session = Session.of(context)
    try:
        [society] = _societies(session, file, {}, 1, limit=None)
    except SocietyFileError as error:
        for line in error.lines[:-1]:
            typer.echo(f"nemuri: {line}", err=True)
        raise Failure(error.lines[-1]) from error
    say(f"{file}: {society.name}, {len(society.agents)} residents")
    _print_estimate(session, society)


def resume(
    context: typer.Context,
    name: NameArgument,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="WHICH",
            help="Start from this checkpoint, or from `newest`. Default: the current state.",
        ),
    ] = None,
    seconds: SecondsOption = None,
    limit: LimitOption = 500,
    budget: BudgetOption = None,
    json: JsonOption = False,
) -> None:
    """Continue a society from its current state, or from a checkpoint."""
    from nemuri_society.cli import society_runner

    async def begin(log: "Log", settings: "Settings") -> "Society":
        from nemuri_society.operations.budgets import check_budget, store_budget
        from nemuri_society.operations.lifecycle import load_society, resume_society
        from nemuri_society.stores.society_states import States

        there, states = await load_society(log, name), States(log, name)
        _check_names(there, session, None)
        _check_room(there, limit)
        _check_world(there, session)
        if budget is None:
            return await resume_society(log, name, checkpoint)
        await check_budget(states, settings.model_settings(), budget)
        await resume_society(log, name, checkpoint)
        return await store_budget(states, budget)

    session = Session.of(context, json=json)
    report = society_runner.run_one(session, name, begin, seconds, limit)
    society_runner.show(report, json=session.json)


def _societies(
    session: Session, file: Path | None, given: dict[str, Any], runs: int, limit: int | None
) -> list["Society"]:
    """Return the society of each run, checked as far as possible before anything begins.

    Raises `WrongUse` for wrong options, and `SocietyFileError` if the file is wrong.
    """
    from nemuri_society.operations.society_file import SocietyFileError, read_plan
    from nemuri_society.operations.society_file import checked_society as checked

    plan = _with_options(read_plan(file) if file else None, given)
    names = [str(plan.name)] if runs == 1 else [f"{plan.name}-{nth + 1}" for nth in range(runs)]
    try:
        societies = [checked(file, plan, run_name, plan.seed + nth) for nth, run_name in enumerate(names)]
    except SocietyFileError as error:
        if file is None:
            raise WrongUse(str(error)) from error
        raise
    for society in societies[:1]:
        _check_names(society, session, file)
        if limit is not None:
            _check_room(society, limit)
            _check_world(society, session)
    return societies


def _with_options(plan: "SocietyPlan | None", given: dict[str, Any]) -> "SocietyPlan":
    """Return the plan with these options in place of what it says. Raises `WrongUse` if they do not fit."""
    from pydantic import ValidationError

    from nemuri_contracts.codec import validation_message
    from nemuri_society.operations.society_file import SocietyPlan

    try:
        return SocietyPlan.model_validate((plan.model_dump(exclude_unset=True) if plan else {}) | given)
    except ValidationError as error:
        raise WrongUse(validation_message(error)) from error


def _run_all(session: Session, societies: list["Society"], seconds: float | None, limit: int) -> None:
    """Run societies one after the other, and print their reports and a summary."""
    from nemuri_society.cli import society_runner

    reports = []
    for nth, society in enumerate(societies):
        begin = society_runner.creating(society, societies[nth + 1 :])
        report = society_runner.run_one(session, society.name, begin, seconds, limit, new=True)
        if report is None:
            break  # A stop signal arrived before the society had begun.
        if len(societies) == 1 or not session.json:
            society_runner.show(report, json=session.json)
        if seconds is not None and report.seconds < seconds:
            break  # A stop signal ended the run, and with it all further ones. It is no repetition of the others.
        reports.append(report)
    if len(societies) > 1:
        society_runner.show_summary(reports, len(societies), json=session.json)


def _print_estimate(session: Session, society: "Society") -> None:
    from nemuri_society.operations.estimate import estimate
    from nemuri_society.operations.thinking_output import print_estimate

    print_estimate(estimate(society, session.settings().model_settings()), society)


def _check_names(society: "Society", session: Session, file: Path | None) -> None:
    """Raise `SocietyFileError`, or `WrongUse` without a file, for modules and models that there are not."""
    from nemuri_society.operations.society_file import SocietyFileError
    from nemuri_society.simulation.bootstrap import check_modules
    from nemuri_society.simulation.model_building import check_models

    wrong = [*check_modules(society), *check_models(society, session.settings().model_settings())]
    if wrong and file is None:
        raise WrongUse(wrong[0][1])
    if wrong:
        raise SocietyFileError(*(f"{file}: {path}: {what}" for path, what in wrong))


def _check_room(society: "Society", limit: int) -> None:
    if not society.fits(limit):
        raise WrongUse(
            f"{society.hosts} hosts of {limit} agents do not hold {len(society.agents)}, because agents are placed in "
            "cells of 25; raise --hosts or --limit"
        )


def _check_world(society: "Society", session: Session) -> None:
    from nemuri_society.simulation.worlds import world_class

    try:
        world_class(society.world).require(society, session.settings().data)
    except ValueError as error:
        raise WrongUse(str(error)) from error
