"""Commands for the memory experiments: experiment personality, noise, scorer."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from nemuri.experiments.report import ExperimentReport
    from nemuri.experiments.statistics import Interval

LARGEST_SEED = 2**32 - 1
LONGEST_STREAM = 10_000
FEWEST_TASKS = 10
MOST_REPEATS = 1_000
FEWEST_REPEATS = 8
NUMBERS = ("mean", "low", "high", "repeats")

SeedOption = Annotated[
    int, typer.Option("--seed", metavar="S", min=0, max=LARGEST_SEED, help="Seed of all random draws.")
]
TasksOption = Annotated[
    int | None,
    typer.Option("--tasks", metavar="N", min=FEWEST_TASKS, max=LONGEST_STREAM, help="Number of tasks in each stream."),
]
RepeatsOption = Annotated[
    int | None,
    typer.Option("--repeats", metavar="R", min=FEWEST_REPEATS, max=MOST_REPEATS, help="Number of independent repeats."),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", help="Directory of the plots. Default: experiments, if matplotlib is installed."
    ),
]
PLOTS = Path("experiments")
"""Default directory of plots."""


HELP_TEXTS = {
    "personality": "Measure how far equal agents diverge by their tasks alone, and if that improves retrieval.",
    "noise": "Compare reinforcement on use with reinforcement on retrieval, by signal and noise.",
    "scorer": "Compare the learned scorer, the linear score and similarity alone.",
}
"""Help text of each experiment, by name."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Test the claims with agents in memory. Needs no API key and no server.",
        rich_markup_mode=None,
    )
    for name, what in HELP_TEXTS.items():
        group.command(name, help=what)(_command(name))
    app.add_typer(group, name="experiment")


def _command(name: str) -> Callable[..., None]:
    def run(
        context: typer.Context,
        seed: SeedOption = 1,
        tasks: TasksOption = None,
        repeats: RepeatsOption = None,
        out: OutOption = None,
        json: JsonOption = False,
    ) -> None:
        _run(name, Session.of(context, json=json), seed, tasks, repeats, out)

    return run


def _run(name: str, session: Session, seed: int, tasks: int | None, repeats: int | None, out: Path | None) -> None:
    """Run an experiment, draw its plots into `out` or `PLOTS`, and print its report.

    Without matplotlib no plot is drawn; with `out`, `Failure` is raised instead. Raises `WrongUse` if `tasks` is too
    large or nothing can be written into the directory.
    """
    from nemuri.demo.texts import TextsMissing
    from nemuri.experiments import plots, runs
    from nemuri.terminal import plot_style
    from nemuri.terminal.output import progress

    session.disable_logging()
    chosen = runs.EXPERIMENTS[name]
    stream, times = tasks or chosen.tasks, repeats or chosen.repeats
    if stream > chosen.longest:
        raise WrongUse(f"--tasks is at most {chosen.longest} here, because there are no more passages to ask about")
    folder = out or PLOTS
    try:
        missing = _plots_missing(asked=out is not None)
        if missing is None:
            writable(folder, "--out")
        with progress(f"{name}: repeats of {stream} tasks") as show:
            report = runs.run(name, seed=seed, tasks=stream, repeats=times, processes=runs.cores(), progress=show)
        files = plots.draw(report, folder) if missing is None else ()
    except (plot_style.MatplotlibMissing, TextsMissing) as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(f"the plot cannot be written to {folder}: {error.strerror}") from error
    session.show(
        report.as_json() | {"files": [str(file) for file in files]},
        lambda: _show(report, [str(file) for file in files] or [f"no plot is drawn: {missing}"]),
    )


def _plots_missing(*, asked: bool) -> str | None:
    """Return the reason why no plot can be drawn; None if plots can be drawn.

    With `asked`, `MatplotlibMissing` is raised instead of returning a reason.
    """
    from nemuri.terminal import plot_style

    try:
        plot_style.require()
    except plot_style.MatplotlibMissing as error:
        if asked:
            raise
        return str(error)
    return None


def writable(out: Path, option: str) -> None:
    """Raise `WrongUse` if `out` cannot be a writable directory. Call it before an experiment is run."""
    nearest = next(states for states in (out.absolute(), *out.absolute().parents) if states.exists())
    if not nearest.is_dir():
        raise WrongUse(f"{option}: {nearest} is not a directory")
    try:
        with TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise WrongUse(f"{option}: nothing can be written in {nearest}: {error.strerror}") from error


def _show(report: "ExperimentReport", last: list[str]) -> None:
    from nemuri.terminal.output import say

    say(f"experiment {report.experiment}, seed {report.seed}, {report.tasks} tasks; means with 95 % intervals\n")
    show_figures(report)
    show_claims(report)
    say("\n" + "\n".join(last))


def show_figures(report: "ExperimentReport") -> None:
    """Print the figures as a table."""
    from nemuri.terminal.output import table

    rows = [(measure, condition, *_cells(figure)) for (measure, condition), figure in report.shown.items()]
    table(("measure", "condition", *NUMBERS), rows, numbers=NUMBERS)


def show_claims(report: "ExperimentReport") -> None:
    """Print the result of each claim as a table."""
    from nemuri.terminal.output import say, table

    say("\nThe claims, each with the difference between both conditions and its 99 % interval:\n")
    claims = [(finding.verdict, *_cells(finding.difference)[:3], finding.claim.text) for finding in report.findings]
    table(("verdict", *NUMBERS[:3], "claim"), claims, numbers=NUMBERS[:3])


def _cells(each: "Interval") -> tuple[str, str, str, str]:
    return f"{each.mean:.3f}", f"{each.low:.3f}", f"{each.high:.3f}", str(each.repeats)
