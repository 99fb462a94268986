"""Commands for the society experiments: society experiment items, likeability, specialisation, taxes, memes."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.experiments import SeedOption, show_claims, show_figures, writable
from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session
from nemuri_society.cli import society_model_experiments as with_model
from nemuri_society.cli.society_model_experiments import FileOption, ModelOption, SpeedOption
from nemuri_society.cli.society_options import BudgetOption

if TYPE_CHECKING:
    from nemuri_society.experiments.experiment_society import Setting

MOST_AGENTS = 2_000
MAX_SECONDS = 86_400
FEWEST_RUNS, MOST_RUNS = 5, 1_000
"""Minimum number of runs of the scripted form, and maximum number of all."""

AgentsOption = Annotated[
    int | None, typer.Option("--agents", metavar="N", min=1, max=MOST_AGENTS, help="Number of agents.")
]
SecondsOption = Annotated[
    int | None, typer.Option("--seconds", metavar="S", min=1, max=MAX_SECONDS, help="Duration in simulated seconds.")
]
RunsOption = Annotated[
    int | None, typer.Option("--runs", metavar="R", min=1, max=MOST_RUNS, help="Number of independent runs.")
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="MODULE", help="Add a condition without this module; repeatable."),
]
FullOption = Annotated[bool, typer.Option("--full", help="Use the size and duration of the paper.")]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the result into a .png, .svg or .pdf file.")
]

HELP_TEXTS = {
    "items": "Count the different items that agents obtain, with all modules and without one.",
    "likeability": "Test if agents infer likeability from words, by the number of observers.",
    "specialisation": "Test if roles emerge from goals, with and without seeing what others do.",
    "taxes": "Measure taxes before and after a vote on the tax law, with influencers and a ledger exact to the unit.",
    "memes": "Measure how memes and a religion spread by talk through six towns and the country.",
}
"""Help text of each experiment, by name."""


def register(society: typer.Typer) -> None:
    """Add the experiments to the society commands."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Run society experiments: in memory on a simulated clock without a language model, or with --model.",
        rich_markup_mode=None,
    )
    for name, what in HELP_TEXTS.items():
        group.command(name, help=what)(_command(name))
    society.add_typer(group, name="experiment")


def _command(name: str) -> Callable[..., None]:
    def run(
        context: typer.Context,
        agents: AgentsOption = None,
        seconds: SecondsOption = None,
        seed: SeedOption = 1,
        runs: RunsOption = None,
        without: WithoutOption = None,
        full: FullOption = False,
        plot: PlotOption = None,
        model: ModelOption = None,
        speed: SpeedOption = None,
        budget: BudgetOption = None,
        file: FileOption = None,
        json: JsonOption = False,
    ) -> None:
        session = Session.of(context, json=json)
        given = {"speed": speed, "budget": budget, "file": file}
        if model is None:
            if wrong := [f"--{option}" for option, value in given.items() if value is not None]:
                raise WrongUse(f"{', '.join(wrong)}: only with --model; the scripted form needs none")
            _run(name, session, _setting(name, agents, seconds, without or [], full=full), seed, runs, plot)
            return
        if plot is not None:
            raise WrongUse("--plot draws the scripted form; `nemuri society report` draws the life of each society")
        sizes = {"agents": agents, "seconds": seconds, "without": tuple(dict.fromkeys(without or [])) or None}
        with_model.run(name, session, with_model.chosen(name, model, sizes, given, seed, runs, full=full))

    return run


def _setting(name: str, agents: int | None, seconds: int | None, without: list[str], *, full: bool) -> "Setting":
    """Return the size of an experiment. Raise `WrongUse` if the experiment does not allow this size."""
    from dataclasses import replace

    from nemuri_society.experiments.experiment_registry import EXPERIMENTS

    chosen = EXPERIMENTS[name]
    begun = chosen.paper if full else chosen.usual
    if agents is not None and agents < chosen.fewest:
        raise WrongUse(f"--agents is at least {chosen.fewest} in {name}")
    if seconds is not None and seconds < chosen.shortest:
        raise WrongUse(f"--seconds is at least {chosen.shortest} in {name}")
    for module in without:
        if module not in chosen.modules:
            raise WrongUse(f"--without {module!r}: {name} has the modules {', '.join(sorted(chosen.modules))}")
    left_out = tuple(dict.fromkeys(without))
    return replace(begun, agents=agents or begun.agents, seconds=seconds or begun.seconds, without=left_out)


def _run(name: str, session: Session, setting: "Setting", seed: int, runs: int | None, plot: Path | None) -> None:
    from nemuri.experiments.runs import cores
    from nemuri.terminal import plot_style
    from nemuri.terminal.output import progress, say_json
    from nemuri_society.experiments import plots
    from nemuri_society.experiments.experiment_registry import EXPERIMENTS, as_json, run

    session.disable_logging()
    times = runs or EXPERIMENTS[name].runs
    if times < FEWEST_RUNS:
        raise WrongUse(f"--runs is at least {FEWEST_RUNS} in the scripted form")
    if plot is not None:
        _drawable(plot, plots.SORTS)
    try:
        if plot is not None:
            plot_style.require()
        with progress(f"{name}: runs of {setting.agents} agents, {setting.seconds} s") as show:
            report = run(name, setting, seed=seed, runs=times, processes=cores(), progress=show)
        if plot is not None:
            plots.draw(report, setting, times, plot)
    except plot_style.MatplotlibMissing as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(f"the plot cannot be written to {plot}: {error.strerror}") from error
    if session.json:
        say_json(as_json(report, setting, times) | {"form": "scripted", "plot": None if plot is None else str(plot)})
        return
    from nemuri.terminal.output import say

    say(f"experiment {name}, seed {seed}, {times} runs of {setting.agents} agents, {setting.seconds} s")
    say(f"{EXPERIMENTS[name].label}\n")
    show_figures(report)
    show_claims(report)
    if plot is not None:
        say(f"\n{plot}")


def _drawable(plot: Path, sorts: tuple[str, ...]) -> None:
    """Raise `WrongUse` if no plot can be written to the file. Call it before the experiment is run."""
    if plot.suffix not in sorts:
        raise WrongUse(f"--plot: the file name must end with {', '.join(sorts)}, not {plot.name!r}")
    if plot.is_dir():
        raise WrongUse(f"--plot: {plot} is a directory")
    writable(plot.absolute().parent, "--plot")
