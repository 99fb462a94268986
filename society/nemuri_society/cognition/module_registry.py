"""The registry of an agent's nine modules and of plug-in modules (document 002 §1.3)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from nemuri_society.cognition.controller import CognitiveController
from nemuri_society.cognition.memory_interface import Memories
from nemuri_society.cognition.module import Module
from nemuri_society.cognition.modules.action_awareness import ActionAwareness
from nemuri_society.cognition.modules.goal_generation import GoalGeneration
from nemuri_society.cognition.modules.memory_recall import MemoryRecall
from nemuri_society.cognition.modules.planning import Planning
from nemuri_society.cognition.modules.self_reflection import SelfReflection
from nemuri_society.cognition.modules.skill_execution import SkillExecution
from nemuri_society.cognition.modules.social_awareness import SocialAwareness
from nemuri_society.cognition.modules.talking import Talking
from nemuri_society.cognition.output_salience import DOCUMENT_THRESHOLDS, Thresholds

PLUGIN_GROUP = "nemuri.modules"
"""Entry point group of plug-ins. Each entry point is a module class without constructor arguments."""


def build_modules(
    memories: Memories,
    *,
    without: Collection[str] = (),
    plugins: Iterable[Module] = (),
    intervals: Mapping[str, float] = MappingProxyType({}),
    thresholds: Thresholds = DOCUMENT_THRESHOLDS,
) -> tuple[Module, ...]:
    """Return the nine modules of document 002 and the plug-ins, without the modules that `without` names (for
    ablations).

    `intervals` replaces the seconds between two runs of a module, `thresholds` those of the controller. Raises
    ValueError if two modules have the same name, if `without` or `intervals` names an unknown module, or if an interval
    is too short.
    """
    nine = (
        ActionAwareness(),
        SkillExecution(),
        Talking(memories),
        CognitiveController(thresholds),
        MemoryRecall(memories),
        GoalGeneration(memories),
        Planning(memories),
        SocialAwareness(memories),
        SelfReflection(memories),
    )
    everyone = (*nine, *plugins)
    names = [plugin.spec.name for plugin in everyone]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"duplicate module: {', '.join(twice)}")
    if unknown := sorted({*without, *intervals} - set(names)):
        raise ValueError(f"unknown module: {', '.join(unknown)}")
    for module in everyone:
        if (interval := intervals.get(module.spec.name)) is not None:
            module.spec = replace(module.spec, interval=interval)
    return tuple(plugin for plugin in everyone if plugin.spec.name not in without)
