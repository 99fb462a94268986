"""Societies: who lives in one, who runs whom, and how its hosts are (document 002 §5, §6)."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from nemuri_contracts.event import Identifier, Label, Value

CELL = 25
"""Agents that are always on one host together: what moves when a host is lost."""
AGENTS_LIMIT = 5_000
SocietyName = Annotated[Identifier, Field(max_length=48)]
"""What a society is called: part of a bucket's name, and of the ids of its agents."""
LATENESS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 10_000.0)
"""Upper bounds of the buckets in which runs are counted by how late they began, in milliseconds."""


class Resident(Value):
    """An agent of a society, as it begins."""

    id: Identifier
    name: Label
    """What everybody knows it by: unique in the society."""
    town: Identifier | None = None
    profile: dict[str, JsonValue] = Field(default_factory=dict)
    """What it knows of itself from the beginning: traits, role, and what an experiment tells it."""


class Society(Value):
    """What a society is; it does not change while it lives."""

    name: SocietyName
    seed: int = Field(ge=0, lt=2**32)
    world: Literal["grid", "minecraft"] = "grid"
    size: int = Field(default=256, ge=64, le=4_096)
    """Blocks of the grid's edge."""
    speed: float = Field(default=1.0, gt=0, le=100)
    """Seconds of the society in a second of the wall's clock."""
    agents: tuple[Resident, ...] = Field(min_length=1, max_length=AGENTS_LIMIT)
    without: tuple[str, ...] = ()
    """Modules that its agents have not, for ablations."""
    plugins: tuple[str, ...] = ()
    """Modules of other packages that they have, by the names of their entry points."""
    slots: int = Field(default=8, ge=1, le=10_000)
    """Questions to models at once, in all hosts together."""
    hosts: int = Field(default=1, ge=1, le=64)
    """Hosts among which the places at the models are divided."""
    checkpoint_every: float | None = Field(default=None, ge=1)
    """Seconds of the wall's clock between two checkpoints; None goes by its size."""
    latency: float = Field(default=0.0, ge=0, le=60)
    """Seconds that an answer of the scripted thinker takes on average, exponentially distributed."""

    @model_validator(mode="after")
    def _distinguishable(self) -> Self:
        """Refuse agents of the same id, or whose names differ in nothing but case and punctuation."""
        for what, said in (("id", [each.id for each in self.agents]), ("name", [each.name for each in self.agents])):
            known = dict[str, str]()
            for each in said:
                plain = each if what == "id" else " ".join(re.findall(r"\w+", each.casefold()))
                if not plain:
                    raise ValueError(f"{each!r} is no name that others could say: it has no letter")
                if plain in known:
                    raise ValueError(f"two agents of a society have the {what} {each!r}; {what}s are unique in it")
                known[plain] = each
        return self

    @property
    def cells(self) -> int:
        """How many cells it has."""
        return -(-len(self.agents) // CELL)

    def fits(self, limit: int) -> bool:
        """Whether its hosts hold all of its cells if each takes so many agents at most."""
        least = min(CELL, len(self.agents))
        return limit >= least and self.hosts * max(1, limit // CELL) >= self.cells

    def cell(self, nth: int) -> tuple[Resident, ...]:
        """The agents of a cell."""
        return self.agents[nth * CELL : (nth + 1) * CELL]


class Lease(Value):
    """Whose a cell is; written again and again while its host lives."""

    host: Identifier | None
    """None where its host has let go of it."""
    beat: int = Field(ge=0)


class Lateness(Value):
    """How late runs began."""

    counts: tuple[int, ...] = (0,) * (len(LATENESS) + 1)
    """By bucket; the last has no upper bound."""

    def quantile(self, share: float) -> float:
        """The upper bound in milliseconds of the bucket that so many of the runs lie in or below; 0 without any.

        Of the last one, which has none, the lower bound.
        """
        wanted, seen = share * sum(self.counts), 0
        for bound, count in zip((*LATENESS, LATENESS[-1]), self.counts, strict=True):
            seen += count
            if seen and seen >= wanted:
                return bound
        return 0.0

    def __add__(self, other: "Lateness") -> "Lateness":
        """Both together."""
        return Lateness(counts=tuple(map(sum, zip(self.counts, other.counts, strict=True))))

    def since(self, earlier: "Lateness") -> "Lateness":
        """The runs that came after those counted earlier."""
        return Lateness(counts=tuple(now - then for now, then in zip(self.counts, earlier.counts, strict=True)))


def bucket(seconds: float) -> int:
    """The bucket of a run that began so many seconds late."""
    return bisect_left(LATENESS, seconds * 1_000)


class Waits(Value):
    """How questions fared."""

    answered: int = 0
    failed: int = 0
    shared: int = 0
    waited: int = 0
    """How many were put, their turn having come."""
    mean: float = 0.0
    """Seconds from when their modules were due until their turn."""
    longest: float = 0.0
    slowest: float = 0.0
    """The mean of the agent whose questions waited longest on average; 0 while too few have asked."""

    @property
    def unfairness(self) -> float:
        """The mean of that agent by the mean of all, 0 while nobody has waited."""
        return self.slowest / self.mean if self.mean > 0 else 0.0

    def __add__(self, other: "Waits") -> "Waits":
        """Both together, where no agent asked in both."""
        waited = self.waited + other.waited
        total = self.mean * self.waited + other.mean * other.waited
        return Waits(
            answered=self.answered + other.answered,
            failed=self.failed + other.failed,
            shared=self.shared + other.shared,
            waited=waited,
            mean=total / waited if waited else 0.0,
            longest=max(self.longest, other.longest),
            slowest=max(self.slowest, other.slowest),
        )


class TokenUse(Value):
    """What calls of models cost, as far as their providers counted it."""

    calls: int = 0
    """Replies that came, whether or not they could be used."""
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "TokenUse") -> "TokenUse":
        """Both together."""
        return TokenUse(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


class Vitals(Value):
    """How a host is: counted since it began."""

    host: Identifier
    process: int
    seconds: float
    """Of the wall's clock, since it began."""
    second: float
    """Of the society's clock, now."""
    agents: int
    runs: dict[str, int]
    lateness: dict[str, Lateness]
    """Of modules that need no model."""
    hearing: Lateness
    """How late agents took in what happened, after their host was told."""
    waits: dict[str, Waits]
    """By rank."""
    asked: Waits
    """The questions of all ranks together."""
    token_use: dict[str, dict[str, TokenUse]]
    """By module and model. A question that somebody else had asked already costs nothing."""
    top_spenders: dict[str, TokenUse]
    """The agents here that spent most, by id, the first of them most."""
    waiting: int
    """How many modules wait for their turn to ask a model."""
    standing: str
    conflicts: int
    failures: dict[str, int]
    silence: float
    """Seconds since the last decision of the agent that has decided nothing for longest."""
    memories: int
    """What its agents remember, in short-term and in long-term memory."""
    memory: int
    """Resident bytes."""
    cpu: float
    """Seconds of processor time."""


def total(spent: Mapping[str, Mapping[str, TokenUse]]) -> TokenUse:
    """Return what all modules spent with all models together."""
    return sum((each for models in spent.values() for each in models.values()), TokenUse())


class Turning(Value):
    """How the process of a world is: counted since it began."""

    process: int
    second: float
    """Of the society's clock, now."""
    agents: int
    ticks: int
    missed: int
    """Ticks left out because those before took too long."""
    lateness: Lateness
    """Of its ticks."""
    percepts: int
    """That were told."""
    acts: int
    memory: int
    """Resident bytes."""
    cpu: float
    """Seconds of processor time."""
