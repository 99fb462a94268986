"""How a society of an experiment is put together: who is in it, where, with which modules and whose answers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pydantic import JsonValue

from nemuri.experiments.report import edges
from nemuri_domain.cognition.engine import Engine
from nemuri_domain.cognition.memory_interface import NoMemories
from nemuri_domain.cognition.module import Module
from nemuri_domain.cognition.module_registry import build_modules
from nemuri_domain.cognition.shared_state import SharedState
from nemuri_domain.society.conversation_module import Conversing
from nemuri_domain.society.hallucinated_success import Hallucinating
from nemuri_domain.society.simulation import Pace, Simulation, Surroundings, Thinker, Witness
from nemuri_domain.society.wandering_module import Wandering
from nemuri_domain.world.grid_world import World
from nemuri_domain.world.world_settings import WorldSettings

FULL = "all modules"
"""The arm with nothing taken away."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How large an experiment is."""

    agents: int
    seconds: int
    """Of the society's clock."""
    without: tuple[str, ...] = ()
    """Modules that further arms go without, one each."""

    @property
    def ablations(self) -> dict[str, frozenset[str]]:
        """What each further arm goes without."""
        return {f"without {each}": frozenset({each}) for each in self.without}

    @property
    def moments(self) -> list[tuple[str, int]]:
        """The ten seconds at which a course is looked at, each with the name of the stretch that it ends."""
        return [(each, int(each.split("-")[1])) for each in edges(self.seconds)]


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who takes part."""

    id: str
    town: str | None = None
    """Where it begins; None is anywhere."""
    profile: Mapping[str, JsonValue] = field(default_factory=dict)
    goals: Mapping[str, JsonValue] = field(default_factory=dict)
    """What it wants when it begins."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What a society is staged with."""

    members: Sequence[Member]
    modules: Sequence[Module]
    thinker: Thinker
    towns: tuple[str, ...] = ("town",)
    size: int = 128
    tick: float = 2.0
    """Seconds between two percepts; where people only walk and talk there is little to see."""
    creatures: bool = False
    hallucinating: float = 0.0
    """How likely an act is only imagined to be done."""


def staged(stage: Stage, seed: str, witness: Witness | None = None) -> tuple[Simulation, World]:
    """The society before anything has happened; the same for the same seed. Those who live nowhere live where they are.

    Profiles get `home`, and `visits`: the middles of all towns.
    """
    land, minds, dreams = (Random(f"{seed}/{each}") for each in ("land", "minds", "dreams"))
    settings = WorldSettings(
        seed=land.getrandbits(62), size=stage.size, towns=stage.towns, creatures=stage.creatures, crowd=12
    )
    world = World(settings)
    around: Surroundings = Hallucinating(world, stage.hallucinating, dreams) if stage.hallucinating else world
    engine = Engine(stage.modules, 0.0, land.getrandbits(32))
    simulation = Simulation(engine, around, stage.thinker, minds, pace=Pace(tick=stage.tick), witness=witness)
    for each in stage.members:
        world.join(each.id, each.id, each.town)
        simulation.add(SharedState.of(each.id, {"profile": _settled(each, world, seed), "goals": each.goals}))
    return simulation, world


def parts(names: Collection[str], without: Collection[str]) -> list[Module]:
    """The modules of these names but for those to go without: of the nine, and `conversing` and `wandering`."""
    everyone = build_modules(NoMemories(), plugins=(Conversing(), Wandering()))
    return [each for each in everyone if each.spec.name in names and each.spec.name not in without]


def _settled(member: Member, world: World, seed: str) -> dict[str, Any]:
    here = world.percept(member.id).position
    home = list(world.towns[member.town]) if member.town else [here.x, here.z]
    visits = [list(each) for each in world.towns.values()]
    return {"name": member.id, "seed": seed, "home": home, "visits": visits, **member.profile}


def course(measure: str, arm: str, setting: Setting, values: Sequence[float]) -> dict[tuple[str, str], float]:
    """A measure at each of the moments, as figures of a report."""
    return {(f"{measure} {window}", arm): value for (window, _), value in zip(setting.moments, values, strict=True)}
