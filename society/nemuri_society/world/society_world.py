"""The seam between a society and its world.

Hosts, processes, reports and the window know a world only by these classes. A package adds a world by an entry point in
the group `nemuri.worlds` that names a class derived from `World`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from nemuri_society.contracts.society import Society
from nemuri_society.contracts.world_protocol import Act, Percept

if TYPE_CHECKING:
    from nats.aio.client import Client as Nats

    from nemuri_infra.runtime.settings import Settings


class InvalidSnapshotError(ValueError):
    """Raised if bytes are no dumped world of this version. The message is one line."""


class JoiningError(ValueError):
    """Raised if an agent cannot enter a world. The message is one line."""


@dataclass(frozen=True, slots=True)
class ActionRule:
    """An action that agents can take in a world."""

    name: str
    """Its first word in a command, or the name of an action of the protocol."""
    does: str
    """Its effects, in one sentence."""
    needs: str = ""
    """Its preconditions; empty if it has none. The world refuses an act that does not meet them, with the reason."""


class StoredWorld(ABC):
    """A world of a society: what it says of itself, and what its dumped state tells.

    Class attributes and class methods are about every world of the class. An instance is one world at one moment.
    """

    about: ClassVar[str] = ""
    """A sentence about the world for agents whose society has no `about`."""
    actions: ClassVar[tuple[ActionRule, ...]] = ()
    """The actions of the world."""
    spatial: ClassVar[bool] = False
    """True if the world has places: towns, homes and positions that people of a society file are given."""
    selective: ClassVar[bool] = True
    """True if the `actions` of a society restrict what its agents may do."""
    pausable: ClassVar[bool] = True
    """True if the clock of the world can be stopped."""

    @classmethod
    @abstractmethod
    def load(cls, dumped: bytes) -> Self:
        """Return the world that was dumped. Raises `InvalidSnapshotError` if the bytes are no snapshot of it."""

    @classmethod
    def check(cls, society: Society) -> Iterator[tuple[str, str]]:
        """Yield what of a society's definition the world does not have: the path in the society file, and what is
        wrong.
        """
        if not cls.spatial:
            yield from _spatial_parts(society)
        names = [rule.name for rule in cls.actions]
        for nth, action in enumerate(society.actions or ()):
            if not cls.selective:
                yield "actions", "this world does not restrict them"
                return
            if action not in names:
                yield f"actions.{nth}", f"there is no action {action!r}; there are {', '.join(names)}"

    @classmethod  # noqa: B027 - most worlds need nothing
    def require(cls, society: Society, data: Path) -> None:
        """Raise ValueError, with one line, if this machine cannot run the world of a society. `data` is the data
        directory.
        """

    @classmethod  # noqa: B027 - most worlds keep nothing
    def discard(cls, society: str, data: Path) -> None:
        """Remove what the world keeps of a society outside its dumped state."""

    @classmethod
    def renamed(cls, dumped: bytes, rename: Callable[[str], str]) -> bytes:
        """Return a dumped world with other ids of its agents. `rename` replaces them in a JSON text.

        By default the dumped state is a JSON text. Raises `InvalidSnapshotError` if the bytes, or the result, are no
        snapshot.
        """
        cls.load(dumped)
        changed = rename(dumped.decode()).encode()
        cls.load(changed)
        return changed

    @property
    @abstractmethod
    def second(self) -> float:
        """Seconds of the world's clock since the world began."""

    @property
    def towns(self) -> Mapping[str, tuple[int, int]]:
        """Position (x, z) of each town and named place, in blocks."""
        return {}

    def place(self, agent_id: str) -> tuple[int, int] | None:  # noqa: ARG002 - of a world without space
        """Return the place of an agent in blocks, also after it has left; None if it has none."""
        return None

    def lines(self, most: int) -> tuple[str, ...]:  # noqa: ARG002 - of a world that shows nothing
        """Return at most `most` lines for people about the state of the world, the newest first."""
        return ()

    def figures(self) -> Mapping[str, float]:
        """Return the figures of the world for reports, by name, such as the mean of a count over the agents."""
        return {}


class World(StoredWorld):
    """A world that advances in the world process of a society. Only `step` advances its time.

    `renamed` must be overridden by a world whose dumped state is no JSON text.
    """

    rate: float = 4.0
    """Steps, and percepts of each agent, in a second of wall-clock time."""
    speed: float = 1.0
    """Seconds of the world in a second of wall-clock time."""

    @classmethod
    @abstractmethod
    def create(cls, society: Society) -> Self:
        """Return the new world of a society, with its `rate` and `speed`. Equal societies give equal worlds."""

    @abstractmethod
    def dump(self) -> bytes:
        """Return the complete state, including percepts that were not read yet. `load` continues from it."""

    @property
    @abstractmethod
    def agents(self) -> tuple[str, ...]:
        """Ids of the agents that are in the world now."""

    @abstractmethod
    def __contains__(self, agent_id: object) -> bool:
        """Return True if the agent is in the world now."""

    @abstractmethod
    def join(self, agent_id: str, name: str, town: str | None = None) -> None:
        """Add an agent, in a town if the world is spatial. Its percept counts as changed. An agent that was in the
        world before continues where it left. Raises `JoiningError`.
        """

    @abstractmethod
    def leave(self, agent_id: str) -> None:
        """Remove an agent. What it has in the world is kept. Does nothing if the agent is not in the world."""

    @abstractmethod
    def step(self, acts: Iterable[Act], seconds: float) -> None:
        """Begin these acts in order and advance time by `seconds`. Acts of agents that are not in the world are
        ignored. Every other act has exactly one outcome, in a percept of its agent, now or later.
        """

    @abstractmethod
    def changed_percepts_json(self) -> Mapping[str, bytes]:
        """Return the percepts that have changed since the last call, by agent id, each as one line of JSON in the form
        of `nemuri_society.contracts.world_protocol.Percept`. Each event is reported once.
        """

    def changed_percepts(self) -> dict[str, Percept]:
        """Return the same as `changed_percepts_json`, with each percept as a value."""
        return {agent: Percept.model_validate_json(percept) for agent, percept in self.changed_percepts_json().items()}

    @abstractmethod
    def mark_percept_changed(self, agent_id: str) -> None:
        """Mark the whole percept of an agent as changed. Does nothing if the agent is not in the world."""


class WorldKeeper(Protocol):
    """The runner of a society's world in its world process."""

    async def run(self) -> None:
        """Run the world until `close` is called. Raises an error if the world ends by itself."""

    async def close(self) -> None:
        """End `run` in order."""

    async def publish_figures(self) -> None:
        """Publish the health figures of the world."""

    def limit(self, until: float | None) -> None:
        """Let the clock stand still from this second; None lets it run on."""

    def dump(self) -> bytes:
        """Return the host of each agent as a line of JSON, then the dumped world."""

    def load(self, dumped: bytes) -> None:
        """Continue from the bytes of `dump`. Raises `InvalidSnapshotError` and changes nothing for other bytes."""


class ForeignWorld(StoredWorld):
    """A world that another program runs. The world process keeps that program and its state."""

    @classmethod
    @abstractmethod
    def keeper(cls, society: Society, client: "Nats", settings: "Settings") -> WorldKeeper:
        """Return what keeps the world of a society. Raises ValueError or RuntimeError, with one line, if this machine
        cannot.
        """


def split_dump(dumped: bytes) -> tuple[bytes, bytes]:
    """Return the two parts of what a `WorldKeeper` dumped: the hosts as JSON, and the world."""
    hosts, _, world = dumped.partition(b"\n")
    return hosts, world


def joined_dump(hosts: bytes, world: bytes) -> bytes:
    """Return the bytes that `split_dump` splits."""
    return hosts + b"\n" + world


def _spatial_parts(society: Society) -> Iterator[tuple[str, Any]]:
    if society.places:
        yield "places", "this world has no places"
    for nth, agent in enumerate(society.agents):
        for part in ("town", "home"):
            if getattr(agent, part) is not None:
                yield f"people.{nth}.{part}", "this world has no places"
