"""The commands that evaluate the memory on benchmarks: eval locomo, longmemeval, beam and updates."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.experiments import LARGEST_SEED, writable
from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from nemuri.evaluation.benchmark import History
    from nemuri.evaluation.run import RunDescription, RunDirectory
    from nemuri_infra.runtime.settings import Settings

HELP_TEXTS = {
    "locomo": "LoCoMo (locomo10.json): long conversations of two friends.",
    "longmemeval": "LongMemEval (longmemeval_s, _m or _oracle .json): chats with an assistant.",
    "beam": "BEAM (folders with chat.json and probing_questions): chats of up to ten million tokens.",
    "updates": "Facts that change, that stay true, and that only look alike. Has a file of its own.",
}
"""Help text of each benchmark, by name."""
FOLDER = Path("evaluation")
"""Folder of the default directories of runs."""
MODEL = "PROVIDER:MODEL"

ReaderOption = Annotated[
    str | None,
    typer.Option("--reader", metavar=MODEL, help="Model that answers. Default: none; only retrieval is measured."),
]
JudgeOption = Annotated[
    str | None, typer.Option("--judge", metavar=MODEL, help="Model that judges the answers. Default: the reader.")
]
LearnerOption = Annotated[
    str | None,
    typer.Option(
        "--learner", metavar=MODEL, help="Model that reads facts in conversations. Default: turns as they are."
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="S", min=0, max=LARGEST_SEED, help="Seed of drawn questions and intervals.")
]
TopOption = Annotated[
    int, typer.Option("--top", metavar="N", min=1, max=50, help="Maximum number of passages for an answer.")
]
TokensOption = Annotated[
    int, typer.Option("--tokens", metavar="N", min=100, max=100_000, help="Maximum tokens of these passages together.")
]
KindsOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="KIND", help="Ask only questions of this kind. May be given several times."),
]
ArmsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--arm", metavar="ARM", help="Measure only this one of memory, bm25, full and none. May be given several times."
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Ask at most N questions, drawn by the seed.")
]
DirectoryOption = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", help="Directory of the run; it goes on if it is there. Default: evaluation/BENCHMARK."
    ),
]
EstimateOption = Annotated[
    bool, typer.Option("--estimate", help="Print calls, tokens and money that the run will take, and ask nothing.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Evaluate the memory on public benchmarks, beside BM25, full context and none.",
        rich_markup_mode=None,
    )
    for name, what in HELP_TEXTS.items():
        group.command(name, help=what)(_command(name))
    app.add_typer(group, name="eval")


def _command(name: str) -> Callable[..., None]:
    def evaluate(
        context: typer.Context,
        files: Annotated[list[Path] | None, typer.Argument(metavar="FILE…", help="Files of the benchmark.")] = None,
        reader: ReaderOption = None,
        judge: JudgeOption = None,
        learner: LearnerOption = None,
        seed: SeedOption = 1,
        top: TopOption = 50,
        tokens: TokensOption = 2_000,
        only: KindsOption = None,
        arm: ArmsOption = None,
        limit: LimitOption = None,
        out: DirectoryOption = None,
        estimate: EstimateOption = False,
        json: JsonOption = False,
    ) -> None:
        named = {"reader": reader, "judge": judge, "learner": learner}
        asked = _Asked(
            name, files or [], {role: model for role, model in named.items() if model}, arm or [], top, tokens, seed,
            limit, only or [], out or FOLDER / name,
        )  # fmt: skip
        _evaluate(Session.of(context, json=json), asked, estimate=estimate)

    return evaluate


@dataclass(frozen=True, slots=True)
class _Asked:
    """The arguments of a command."""

    benchmark: str
    files: list[Path]
    models: Mapping[str, str]
    arms: list[str]
    top: int
    tokens: int
    seed: int
    limit: int | None
    kinds: list[str]
    out: Path

    def description(self, settings: "Settings") -> "RunDescription":
        """Return the description of the run. Raises `WrongUse` if an arm is unknown."""
        from pydantic import ValidationError

        from nemuri.evaluation.contexts import ARMS
        from nemuri.evaluation.run import RunDescription

        about = {
            name: getattr(self, name) for name in ("benchmark", "models", "top", "tokens", "seed", "limit", "kinds")
        }
        arms = [arm for arm in ARMS if arm in self.arms or not self.arms]
        if unknown := [arm for arm in self.arms if arm not in ARMS]:
            raise WrongUse(f"--arm: there is no {unknown[0]}; there are {', '.join(ARMS)}")
        files, embedder = [str(path.resolve()) for path in self.files], settings.embedding_settings().spec
        try:
            return RunDescription(files=files, arms=arms, embedder=embedder, **about)
        except ValidationError as error:  # pragma: no cover - typer has checked the values
            raise WrongUse(str(error)) from error


def _histories(asked: _Asked) -> "list[History]":
    """Return the histories with the chosen questions. Raises `WrongUse` if there are none."""
    from nemuri.evaluation.benchmark import BenchmarkFileError, chosen
    from nemuri.evaluation.benchmarks import UPDATES, read_benchmark

    if not asked.files and asked.benchmark != UPDATES:
        raise WrongUse(f"name the files of {asked.benchmark}; docs/how-to/evaluate.md says where to download them")
    try:
        every = read_benchmark(asked.benchmark, asked.files)
    except BenchmarkFileError as error:
        raise WrongUse(str(error)) from error
    kinds = {question.kind for history in every for question in history.questions}
    if unknown := [kind for kind in asked.kinds if kind not in kinds]:
        raise WrongUse(f"--only: there are no questions of the kind {unknown[0]}; there are {', '.join(sorted(kinds))}")
    return chosen(every, kinds=frozenset(asked.kinds), limit=asked.limit, seed=asked.seed)


def _evaluate(session: Session, asked: _Asked, *, estimate: bool) -> None:
    from nemuri.evaluation.run import OtherRunError, RunDirectory

    session.disable_logging()
    if not asked.models.get("reader") and asked.models.get("judge"):
        raise WrongUse("--judge needs a --reader, whose answers it judges")
    settings = session.settings()
    histories, description = _histories(asked), asked.description(settings)
    if estimate:
        _show_estimate(session, settings, histories, description)
        return
    try:
        writable(asked.out, "--out")
        directory = RunDirectory.opened(asked.out, description)
    except OtherRunError as error:
        raise WrongUse(f"{error}; name another --out") from error
    except OSError as error:
        raise Failure(f"--out: {error}") from error
    figures = asyncio.run(_run(settings, histories, directory))
    session.show(figures, lambda: _show(figures, asked.out))


async def _run(settings: "Settings", histories: "list[History]", directory: "RunDirectory") -> dict[str, Any]:
    """Ask what has not been asked yet, write the report, and return its figures."""
    from nemuri.evaluation.models import RunModels, UnknownModelError
    from nemuri.evaluation.questions import Reading
    from nemuri.evaluation.report import write_report
    from nemuri.evaluation.run import run
    from nemuri.terminal.output import progress
    from nemuri_infra.models.failures import ModelUnavailable

    about = directory.description
    try:
        models = RunModels.of(about.models, settings.model_settings(), directory.replies)
    except UnknownModelError as error:
        raise WrongUse(str(error)) from error
    reading = Reading(models, about.arms, about.top, about.tokens)
    try:
        with progress(f"{about.benchmark}: questions") as show:
            await run(histories, reading, directory.results, settings, show)
    except ModelUnavailable as error:
        raise Failure(f"{error}; what was asked is kept in {directory.path}, and the same command goes on") from error
    finally:
        await models.aclose()
    return write_report(directory.path, about, directory.results)


def _show_estimate(
    session: Session, settings: "Settings", histories: "list[History]", description: "RunDescription"
) -> None:
    from nemuri.evaluation.estimate import estimates
    from nemuri.terminal.output import table

    prices = settings.model_settings().prices
    found = estimates(histories, description)
    names = ("role", "arm", "calls", "input_tokens", "output_tokens", "money")
    rows = [(one.role, one.arm, one.calls, one.input_tokens, one.output_tokens, one.money(prices)) for one in found]
    session.show(
        [dict(zip(names, row, strict=True)) for row in rows],
        lambda: table(names, [_cells(row) for row in rows], numbers=names[2:]),
    )


def _cells(values: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(
        "–" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value) for value in values
    )


def _show(figures: dict[str, Any], out: Path) -> None:
    from nemuri.terminal.output import say, table

    rows = [_row(row) for row in figures["figures"]]
    names = [name for name in rows[0] if any(row[name] for row in rows)] if rows else []
    say("Accuracy, and the share of the evidence within so many tokens, with intervals of 95 %:\n")
    table(names, [[row[name] or "–" for name in names] for row in rows], numbers=names[2:])
    above = [
        (row["arm"], row["measure"], *(f"{row[edge]:+.3f}" for edge in ("mean", "low", "high")))
        for row in figures["memory_above"]
    ]
    say("\nThe memory above the others, by accuracy and by evidence among so many passages and tokens:\n")
    table(("other", "measure", "above", "low", "high"), above, numbers=("above", "low", "high"))
    if costs := figures["costs"]:
        say("")
        table(tuple(costs[0]), [_cells(tuple(cost.values())) for cost in costs], numbers=tuple(costs[0])[2:])
    say(f"\n{out / 'report.html'}")


def _row(row: dict[str, Any]) -> dict[str, str]:
    evidence = {f"{name} tokens": _range(row["evidence"].get(f"{name} tokens")) for name in (1000, 2000)}
    ends = {"needed first": _range(row["needed_first"])}
    return {"kind": row["kind"], "arm": row["arm"], "accuracy": _range(row["accuracy"]), **evidence, **ends}


def _range(found: dict[str, Any] | None) -> str:
    """Return a mean with its interval in few characters; "" without one."""
    return f"{found['mean']:.3f} {found['low']:.2f}–{found['high']:.2f}" if found else ""
