"""Everything that is given about a society except its name, seed and residents."""

from typing import Annotated, Literal

from pydantic import Field

from nemuri_contracts.event import Identifier, Label, Text
from nemuri_society.contracts.residents import Budget, Described, Intervention, Line, ModelName, Probe, Spot


class Conditions(Described):
    """Everything that is given about a society except its name, seed and residents."""

    world: Identifier = "grid"
    """Name of the world: `grid`, `minecraft`, `forum`, or one of another package."""
    size: int = Field(default=256, ge=64, le=4_096)
    """Edge length of the grid, in blocks."""
    rate: float = Field(default=4.0, gt=0, le=20)
    """Steps of the world, and percepts of each agent, in a second of wall-clock time. Document 002 asks for 20."""
    speed: float = Field(default=1.0, gt=0, le=100)
    """Simulated seconds per second of wall-clock time."""
    about: Text = Field(default="", max_length=2_000)
    """Description of this society, in one or two sentences that its residents know."""
    laws: tuple[Line, ...] = Field(default=(), max_length=64)
    """Laws that every resident knows from the beginning."""
    places: dict[Identifier, Spot] = Field(default_factory=dict, max_length=64)
    """Named places of a world that has places. Every resident knows them."""
    groups: dict[Label, tuple[Label, ...]] = Field(default_factory=dict, max_length=256)
    """Names of the members of each group."""
    knowledge: dict[Label, tuple[Line, ...]] = Field(default_factory=dict, max_length=256)
    """Shared memories of the members of each group from the beginning. The group `all` is everybody."""
    memory_capacity: int = Field(default=500, ge=10, le=10_000)
    """Maximum number of long-term memories of a resident. The weakest beyond it are merged or removed. 500 take two
    megabytes on the disk of a host, the 10,000 of document 004 §4.2.3 forty.
    """
    actions: tuple[Identifier, ...] | None = Field(default=None, min_length=1)
    """Actions that the world allows, by name; None allows all."""
    day_seconds: float = Field(default=1_200.0, ge=24, le=86_400)
    """Simulated seconds of a day of 24 hours. It is light from 6 to 22 o'clock."""
    start_hour: float = Field(default=6.0, ge=0, lt=24)
    """Hour of the day at second 0."""
    intervals: dict[str, Annotated[float, Field(ge=0.05, le=3_600)]] = Field(default_factory=dict)
    """Seconds between two runs of a module, by its name, in place of those of document 002."""
    thresholds: dict[Literal["normal", "overload", "emergency", "idle"], Annotated[float, Field(ge=0, le=1)]] = Field(
        default_factory=dict
    )
    """Thresholds of the controller in place of those of document 002 §1.4."""
    models: dict[str, ModelName] = Field(default_factory=dict)
    """Model of each module by its name. `default` is that of the others."""
    budget: Budget = Budget()
    interventions: tuple[Intervention, ...] = Field(default=(), max_length=1_000)
    probes: tuple[Probe, ...] = Field(default=(), max_length=1_000)
    without: tuple[str, ...] = ()
    """Modules that are left out, for ablations."""
    plugins: tuple[str, ...] = ()
    """Entry point names of additional modules from other packages."""
    slots: int | None = Field(default=None, ge=1, le=10_000)
    """Maximum number of concurrent model requests of all hosts together. None is three for each agent, at least 50 and
    at most 200.
    """
    hosts: int = Field(default=1, ge=1, le=64)
    """Number of hosts that share the model slots."""
    checkpoint_every: float | None = Field(default=None, ge=1)
    """Wall-clock seconds between two checkpoints. None derives it from the society's size."""
    latency: float = Field(default=0.0, ge=0, le=60)
    """Mean answer time of the scripted model in seconds, exponentially distributed."""
