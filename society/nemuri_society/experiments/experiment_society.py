"""The set-up of an experiment's society: its members, places, modules and scripted answers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pydantic import JsonValue

from nemuri.experiments.report import window_names
from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module import Module
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.phenomena.conversation_module import ConversationModule
from nemuri_society.phenomena.hallucinating_world import HallucinatingWorld
from nemuri_society.phenomena.simulation import (
    PromptAnswerer,
    SimulatedWorld,
    Simulation,
    SimulationObserver,
    SimulationTiming,
)
from nemuri_society.phenomena.wandering_module import WanderingModule
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings

FULL = "all modules"
"""Name of the condition with all modules."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The size of an experiment."""

    agents: int
    seconds: int
    """Duration in simulated seconds."""
    without: tuple[str, ...] = ()
    """Modules to leave out, each in a condition of its own."""

    @property
    def ablations(self) -> dict[str, frozenset[str]]:
        """Return the conditions besides `FULL`: the modules that each leaves out, by the name of the condition."""
        return {f"without {module}": frozenset({module}) for module in self.without}

    @property
    def moments(self) -> list[tuple[str, int]]:
        """Return the ten moments at which measures are taken: the name of the window that ends then, and the second."""
        return [(name, int(name.split("-")[1])) for name in window_names(self.seconds)]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the society."""

    id: str
    town: str | None = None
    """Town to start in; None means anywhere."""
    profile: Mapping[str, JsonValue] = field(default_factory=dict)
    goals: Mapping[str, JsonValue] = field(default_factory=dict)
    """Goals at the start."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The parameters of a society."""

    members: Sequence[Member]
    modules: Sequence[Module]
    thinker: PromptAnswerer
    towns: tuple[str, ...] = ("town",)
    size: int = 128
    tick: float = 2.0
    """Simulated seconds between two percepts. Two suffice if agents only walk and talk."""
    hallucinating: float = 0.0
    """Probability that an action is not carried out although the agent believes that it was."""


def staged(stage: Stage, seed: str, witness: SimulationObserver | None = None) -> tuple[Simulation, GridWorld]:
    """Return the simulation of a society before its first step, and its world. The same seed gives the same society.

    Agents without a town live where they start. Each profile gets the agent's `home`, and `visits`: the centres of all
    towns.
    """
    land, minds, dreams = (Random(f"{seed}/{part}") for part in ("land", "minds", "dreams"))
    settings = WorldSettings(seed=land.getrandbits(62), size=stage.size, towns=stage.towns, max_sightings=12)
    world = GridWorld(settings)
    around: SimulatedWorld = HallucinatingWorld(world, stage.hallucinating, dreams) if stage.hallucinating else world
    engine = Engine(stage.modules, 0.0, land.getrandbits(32))
    simulation = Simulation(
        engine, around, stage.thinker, minds, timing=SimulationTiming(tick=stage.tick), observer=witness
    )
    for member in stage.members:
        world.join(member.id, member.id, member.town)
        simulation.add(SharedState.of(member.id, {"profile": _settled(member, world, seed), "goals": member.goals}))
    return simulation, world


def parts(names: Collection[str], without: Collection[str]) -> list[Module]:
    """Return the modules with these names, except those in `without`.

    Known are the names of the nine modules of a society, `conversing` and `wandering`.
    """
    everyone = build_modules(NoMemories(), plugins=(ConversationModule(), WanderingModule()))
    return [module for module in everyone if module.spec.name in names and module.spec.name not in without]


def _settled(member: Member, world: GridWorld, seed: str) -> dict[str, Any]:
    home = list(world.towns[member.town] if member.town else world.place(member.id) or ())
    visits = [list(town) for town in world.towns.values()]
    return {"name": member.id, "seed": seed, "home": home, "visits": visits, **member.profile}


def course(measure: str, arm: str, setting: Setting, values: Sequence[float]) -> dict[tuple[str, str], float]:
    """Return the values of a measure over time, one for each of `setting.moments`, as figures of a report."""
    return {(f"{measure} {window}", arm): value for (window, _), value in zip(setting.moments, values, strict=True)}
