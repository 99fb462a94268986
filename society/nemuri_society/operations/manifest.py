"""The manifest of a run: everything by which it can be repeated, and what cannot be repeated."""

import platform
from hashlib import sha256
from importlib.metadata import entry_points, version
from importlib.resources import files
from typing import Final

from pydantic import JsonValue

from nemuri_infra.models.prompt_files import read_prompt
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.runtime.settings import Settings
from nemuri_society.cognition.module_registry import PLUGIN_GROUP
from nemuri_society.cognition.task_texts import PACKAGE
from nemuri_society.contracts.society import Society
from nemuri_society.operations.estimate import measured_means
from nemuri_society.simulation.host_study import INTERVIEW
from nemuri_society.simulation.memory_wording import MEMORY_CONSOLIDATION
from nemuri_society.simulation.model_building import model_names
from nemuri_society.simulation.model_choice import SCRIPTED, ModelNames

NOT_DETERMINISTIC: Final = (
    "the answers of language models, and their order",
    "the moments at which modules run, acts arrive and percepts are read, which follow the wall clock",
    "the host on which an agent runs",
)
"""Differences between two runs with equal seeds. The grid world's map and the residents do not."""


def run_manifest(society: Society, settings: Settings) -> dict[str, JsonValue]:
    """Return the manifest of a run that begins now: versions, models, prompts, seeds, and hashes."""
    models = settings.model_settings()
    definition = society.model_dump_json()
    return {
        "society": society.model_dump(mode="json"),
        "version": version("nemuri"),
        "python": platform.python_version(),
        "providers": [*models.chosen],
        "models": models_by_module(society, models),
        "prompts": prompt_hashes(),
        "plugins": _plugin_versions(society.plugins),
        "seeds": {"society": society.seed},
        "hashes": {"society": sha256(definition.encode()).hexdigest()},
        "not_deterministic": [*NOT_DETERMINISTIC],
    }


def models_by_module(society: Society, settings: ModelSettings) -> dict[str, JsonValue]:
    """Return the language models of each module, in order of preference; `scripted` for rules.

    A person's own model, which goes before these, is in the definition.
    """
    names = ModelNames.chosen(society, settings)
    modules = sorted(
        {*measured_means().modules, *names.by_module, INTERVIEW, MEMORY_CONSOLIDATION} - {*society.without}
    )
    return {module: [*(model_names(names.of(module), settings) or [SCRIPTED])] for module in modules}


def prompt_hashes() -> dict[str, JsonValue]:
    """Return the sha256 of each prompt file of the modules, by the prompt's name and version."""
    folder = files(PACKAGE) / "prompts"
    names = sorted(entry.name.removesuffix(".md") for entry in folder.iterdir() if entry.name.endswith(".md"))
    return {
        read_prompt(PACKAGE, name).label: sha256((folder / f"{name}.md").read_bytes()).hexdigest() for name in names
    }


def _plugin_versions(wanted: tuple[str, ...]) -> dict[str, JsonValue]:
    there = {point.name: point for point in entry_points(group=PLUGIN_GROUP)}
    return {
        name: there[name].dist.version if name in there and there[name].dist is not None else None  # type: ignore[union-attr]
        for name in wanted
    }
