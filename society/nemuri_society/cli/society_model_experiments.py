"""Society experiments with a language model: `--model` of the commands of `society experiment`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.experiments import show_claims, show_figures
from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import Session
from nemuri_society.cli.society_runner import run_to_its_end

if TYPE_CHECKING:
    import asyncio

    from nemuri.experiments.report import ExperimentReport
    from nemuri_infra.models.settings import ModelSettings
    from nemuri_society.contracts.society import Society
    from nemuri_society.experiments.experiment_society import Setting
    from nemuri_society.experiments.with_models.trials import Choices, Trial

LIMIT = 500
"""Maximum number of agents in one host."""
FEWEST_RUNS = 3
"""Minimum number of runs, from which a mean has an interval."""
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="Let a language model think: `platform` for the platform's settings, `main`, `light`, or PROVIDER:MODEL."
        " Default: the scripted form.",
    ),
]
SpeedOption = Annotated[
    float | None,
    typer.Option("--speed", metavar="X", min=0.01, max=100, help="With --model: simulated seconds in a real second."),
]
FileOption = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="With --model: a society file in place of that of the experiment."),
]


def checked_model(written: str) -> str:
    """Return the name of a model. Raises `WrongUse` for one that is none, or that is no language model."""
    from pydantic import TypeAdapter, ValidationError

    from nemuri_society.contracts.residents import ModelName
    from nemuri_society.experiments.with_models.trials import PLATFORM
    from nemuri_society.simulation.model_choice import SCRIPTED

    if written == SCRIPTED:
        raise WrongUse("--model: leave it out for the scripted form; its figures are never mixed with those of a model")
    try:
        return PLATFORM if written == PLATFORM else TypeAdapter(ModelName).validate_python(written)
    except ValidationError:
        raise WrongUse(f"--model: {written!r} is no model; write platform, main, light or PROVIDER:MODEL") from None


def chosen(
    name: str, model: str, sizes: dict[str, Any], given: dict[str, Any], seed: int, runs: int | None, *, full: bool
) -> "Choices":
    """Return what the options choose. In `sizes` and `given`, None stands for an option that was not given.

    Raises `WrongUse` if the experiment does not allow it.
    """
    from dataclasses import replace

    from nemuri_society.experiments.with_models.registry import MODEL_EXPERIMENTS
    from nemuri_society.experiments.with_models.trials import Choices

    experiment = MODEL_EXPERIMENTS[name]
    usual = experiment.paper if full else experiment.usual
    setting = replace(usual, **{field: value for field, value in sizes.items() if value is not None})
    times = experiment.runs if runs is None else runs
    _check_size(name, setting, times)
    conditions = {field: given[field] for field in ("speed", "budget") if given[field] is not None}
    return Choices(checked_model(model), setting, seed, times, given["file"], conditions)


def run(name: str, session: Session, choices: "Choices") -> None:
    """Let all societies of an experiment live, one after the other, and print what their records show."""
    from nemuri_society.experiments.with_models.registry import MODEL_EXPERIMENTS
    from nemuri_society.experiments.with_models.trials import build_trials

    trials = build_trials(name, MODEL_EXPERIMENTS[name], choices)
    settings = session.settings().model_settings()
    for trial in trials:
        _check_models(trial.society, choices.model, settings)
    if not session.json:
        _print_plan(trials, settings)
    report = run_to_its_end(session, lambda stop: _live_all(name, session, trials, choices.seed, stop))
    if report is not None:
        _show(name, session, report, choices)


async def _live_all(
    name: str,
    session: Session,
    trials: list["Trial"],
    seed: int,
    stop: "asyncio.Event",
) -> "ExperimentReport | None":
    """Let the societies live that have not lived yet, and measure all. Returns None if a stop signal ended a life."""
    from nemuri_society.experiments.with_models.lives import live, lived_already, measure_all
    from nemuri_society.experiments.with_models.registry import MODEL_EXPERIMENTS
    from nemuri_society.operations.console_output import progress_printer
    from nemuri_society.operations.nats_server import society_server

    async with society_server(session.settings(), start=True, running=trials[0].society.name, new=True) as (found, log):
        left = [trial for trial in trials if not await lived_already(log, trial)]
        for trial in left:
            tell = progress_printer(trial.society, quiet=session.json)
            if not await live(log, found, trial, limit=LIMIT, stop=stop, on_figures=tell):
                return None
        return await measure_all(log, name, MODEL_EXPERIMENTS[name], trials, seed)


def _check_size(name: str, setting: "Setting", runs: int) -> None:
    from nemuri_society.experiments.with_models.life import MODULES
    from nemuri_society.experiments.with_models.registry import MODEL_EXPERIMENTS

    chosen = MODEL_EXPERIMENTS[name]
    if setting.agents < chosen.fewest:
        raise WrongUse(f"--agents is at least {chosen.fewest} in {name} with a model")
    if setting.seconds < chosen.shortest:
        raise WrongUse(f"--seconds is at least {chosen.shortest} in {name} with a model")
    if runs < FEWEST_RUNS:
        raise WrongUse(f"--runs is at least {FEWEST_RUNS}, because an interval needs that many")
    for module in setting.without:
        if module not in MODULES:
            raise WrongUse(f"--without {module!r}: a society has the modules {', '.join(sorted(MODULES))}")


def _check_models(society: "Society", model: str, settings: "ModelSettings") -> None:
    """Raise `Failure` if a module would be answered by rules, or a model cannot be used."""
    from nemuri_infra.models.protocol import EXTRACTIVE
    from nemuri_society.simulation.model_building import check_models

    if wrong := check_models(society, settings):
        raise Failure(
            "; ".join(f"--model: {what}" if path == "models.default" else f"{path}: {what}" for path, what in wrong)
        )
    if ":" in model:
        return
    if not settings.called:
        raise Failure(f"--model {model}: no language model is set up; give a provider's key, or PROVIDER:MODEL")
    if EXTRACTIVE in settings.chosen:
        raise Failure(
            f"--model {model}: the providers end with extractive, whose place rules would take in a society; leave it"
            " out of NEMURI_PROVIDERS"
        )


def _print_plan(trials: list["Trial"], settings: "ModelSettings") -> None:
    """Print what all societies together take from models."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.estimate import estimate

    found = [(estimate(trial.society, settings), trial.seconds / 3_600) for trial in trials]
    calls, into, out = (
        sum(getattr(one, field) * hours for one, hours in found) for field in ("calls", "input_tokens", "output_tokens")
    )
    priced = [one.money * hours for one, hours in found if one.money is not None]
    money = f", about {sum(priced):.2f} of money" if len(priced) == len(found) else "; their price is not known"
    wall = sum(trial.seconds / trial.society.speed for trial in trials) / 3_600
    say(
        f"{len(trials)} societies, one after the other, in at least {wall:.1f} hours: about {calls:,.0f} model calls"
        f" with {into:,.0f} tokens in and {out:,.0f} out{money}; questions asked aside come on top"
    )


def _show(name: str, session: Session, report: "ExperimentReport", choices: "Choices") -> None:
    from nemuri.terminal.output import say, say_json

    if session.json:
        say_json(as_json(name, report, choices))
        return
    from nemuri_society.experiments.with_models.registry import MODEL_EXPERIMENTS

    setting = choices.setting
    say(
        f"\nexperiment {name} with the model {choices.model}, seed {choices.seed}, {choices.runs} runs of"
        f" {setting.agents} agents, {setting.seconds} s"
    )
    say(f"{MODEL_EXPERIMENTS[name].label}\n")
    show_figures(report)
    show_claims(report)
    say(f"\n`nemuri society report {name}-{choices.seed}-1-1` shows the life of the first society")


def as_json(name: str, report: "ExperimentReport", choices: "Choices") -> dict[str, Any]:
    """Return a report as JSON values, with its form, its model, its size and its caveat."""
    from nemuri_society.experiments.with_models.registry import MODEL_EXPERIMENTS

    found = report.as_json()
    del found["tasks"]
    return {
        **found,
        "form": "model",
        "model": choices.model,
        "agents": choices.setting.agents,
        "seconds": choices.setting.seconds,
        "runs": choices.runs,
        "without": list(choices.setting.without),
        "label": MODEL_EXPERIMENTS[name].label,
    }
