"""The trials of an experiment with a language model: one society for each condition and repeat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from nemuri_society.contracts.society import Society
from nemuri_society.experiments.experiment_society import Setting
from nemuri_society.experiments.with_models.life import Arm, ModelExperiment
from nemuri_society.operations.society_file import (
    SocietyFileError,
    SocietyPlan,
    checked_society,
    read_plan,
    validation_lines,
)
from nemuri_society.simulation.model_choice import DEFAULT

PLATFORM: Final = "platform"
"""Name of the models of the platform's settings: each module has the one that it has in a society."""
SOCIETIES: Final = Path(str(files(__package__).joinpath("societies")))
"""Folder of the society files."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A society of an experiment, which is to live or has lived."""

    society: Society
    condition: str
    repeat: int
    arm: Arm
    seconds: float
    """Duration of its life in seconds of its clock."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of a person for an experiment."""

    model: str
    """`platform`, or a name of a model as in a society file."""
    setting: Setting
    seed: int
    runs: int
    file: Path | None = None
    """Society file in place of those of the experiment."""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the society in place of those of the file, such as `speed` and `budget`."""


def build_trials(name: str, experiment: ModelExperiment, choices: Choices) -> list[Trial]:
    """Return all trials, those of a repeat one after the other. Equal choices give equal societies.

    Raises `SocietyFileError` if a society cannot be made of its file, or does not suit the experiment.
    """
    found = list[Trial]()
    for repeat in range(choices.runs):
        for number, (condition, arm) in enumerate(experiment.conditions(choices.setting).items(), 1):
            file = choices.file or SOCIETIES / f"{arm.file or experiment.file}.yaml"
            society_name = f"{name}-{choices.seed}-{repeat + 1}-{number}"
            society = _society(file, society_name, arm, experiment, choices, choices.seed + repeat)
            trial = Trial(society, condition, repeat, arm, float(choices.setting.seconds))
            try:
                experiment.measure(society, trial.seconds)
            except ValueError as error:
                raise SocietyFileError(f"{file}: {error}") from error
            found.append(trial)
    return found


def _society(file: Path, name: str, arm: Arm, experiment: ModelExperiment, choices: Choices, seed: int) -> Society:
    """Return the society of a trial. Its people are those of the file, and generated ones up to the chosen number."""
    plan, setting = read_plan(file), choices.setting
    people = plan.people[: setting.agents]
    scale = setting.seconds / experiment.usual.seconds
    given: dict[str, Any] = plan.model_dump(exclude_unset=True) | dict(choices.conditions)
    given |= {
        "people": [person.model_dump(exclude_unset=True) for person in people],
        "generate": setting.agents - len(people),
        "without": sorted({*plan.without, *arm.without}),
        "probes": _scaled(given.get("probes", ()), scale),
        "interventions": _scaled(given.get("interventions", ()), scale),
    }
    if choices.model != PLATFORM:
        given["models"] = {DEFAULT: choices.model}
    try:
        return checked_society(file, SocietyPlan.model_validate(given), name, seed)
    except ValidationError as error:
        raise SocietyFileError(*(f"{file}: {line}" for line in validation_lines(error))) from error


def _scaled(entries: Sequence[Mapping[str, Any]], scale: float) -> list[dict[str, Any]]:
    """Return probes or interventions at times that fit a life of another duration than the usual one."""
    return [{**entry, "at": entry["at"] * scale} for entry in entries]
