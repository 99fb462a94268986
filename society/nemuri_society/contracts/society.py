"""Societies: residents, cell leases, and health reports of agent hosts (document 002 §5, §6)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from nemuri_contracts.event import Identifier, Value
from nemuri_society.contracts.conditions import Conditions
from nemuri_society.contracts.pace import Pace
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.wrong_names import wrong_names

CELL = 25
"""Number of agents in a cell. A cell always runs on one host and moves as a whole if the host is lost."""
AGENTS_LIMIT = 5_000
MIN_SLOTS, MAX_SLOTS = 50, 200
"""Least and most concurrent model requests by default. Document 002 §5.4 has 50."""
SLOTS_PER_AGENT = 3
"""Concurrent model requests for each agent by default. An agent among others asks about 0.75 times a second, so it
needs two places at 2.5 s an answer; the third is for chance.
"""
SocietyName = Annotated[Identifier, Field(max_length=48)]
"""Name of a society. It is part of a bucket's name and of the ids of its agents."""
LATENESS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 10_000.0)
"""Upper bounds of the lateness histogram's buckets, in milliseconds."""


class Society(Conditions):
    """Definition of a society. It does not change while the society runs."""

    name: SocietyName
    seed: int = Field(ge=0, lt=2**32)
    agents: tuple[Resident, ...] = Field(min_length=1, max_length=AGENTS_LIMIT)

    @model_validator(mode="after")
    def _distinguishable(self) -> Self:
        """Raise ValueError if two agents share an id."""
        for agent_id, times in Counter(agent.id for agent in self.agents).items():
            if times > 1:
                raise ValueError(f"two agents have the same id {agent_id!r}; each id must be unique")
        return self

    @model_validator(mode="after")
    def _connected(self) -> Self:
        """Raise ValueError with all names that refer to nothing or to several people."""
        if wrong := wrong_names(self):
            raise ValueError("; ".join(f"{path}: {what}" for path, what in wrong))
        return self

    def residents_of(self, who: tuple[str, ...] | Literal["all"]) -> tuple[Resident, ...]:
        """Return the residents that names of residents and groups stand for, in the order of the society."""
        if who == "all":
            return self.agents
        names = {member for name in who for member in (name, *self.groups.get(name, ()))}
        return tuple(agent for agent in self.agents if agent.name in names)

    @property
    def concurrency(self) -> int:
        """Return the maximum number of concurrent model requests of all hosts together."""
        return self.slots or min(max(MIN_SLOTS, SLOTS_PER_AGENT * len(self.agents)), MAX_SLOTS)

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return -(-len(self.agents) // CELL)

    def fits(self, limit: int) -> bool:
        """Return True if the hosts can hold all cells with at most `limit` agents per host."""
        least = min(CELL, len(self.agents))
        return limit >= least and self.hosts * max(1, limit // CELL) >= self.cells

    def cell(self, nth: int) -> tuple[Resident, ...]:
        """Return the agents of the cell with index `nth`, from 0."""
        return self.agents[nth * CELL : (nth + 1) * CELL]


class Lease(Value):
    """Lease of a cell. The host that holds it renews it at every heartbeat."""

    host: Identifier | None
    """Holder of the lease. None if the host released it."""
    beat: int = Field(ge=0)


class Lateness(Value):
    """Histogram of delays: the number of runs by how late they began."""

    counts: tuple[int, ...] = (0,) * (len(LATENESS) + 1)
    """Number of runs per bucket. The last bucket has no upper bound."""

    def quantile(self, share: float) -> float:
        """Return the upper bound in milliseconds of the bucket that contains the quantile; 0 without runs.

        For the last bucket, return its lower bound.
        """
        wanted, seen = share * sum(self.counts), 0
        for bound, count in zip((*LATENESS, LATENESS[-1]), self.counts, strict=True):
            seen += count
            if seen and seen >= wanted:
                return bound
        return 0.0

    def __add__(self, other: "Lateness") -> "Lateness":
        """Return the sum of both histograms."""
        return Lateness(counts=tuple(map(sum, zip(self.counts, other.counts, strict=True))))

    def since(self, earlier: "Lateness") -> "Lateness":
        """Return the histogram of the runs that were counted after `earlier`."""
        return Lateness(counts=tuple(now - then for now, then in zip(self.counts, earlier.counts, strict=True)))


def bucket(seconds: float) -> int:
    """Return the index of the bucket that counts a delay in seconds."""
    return bisect_left(LATENESS, seconds * 1_000)


class Waits(Value):
    """Statistics of model requests and their waiting times."""

    answered: int = 0
    failed: int = 0
    shared: int = 0
    waited: int = 0
    """Number of requests that were sent after waiting."""
    mean: float = 0.0
    """Mean seconds between the time at which a module was due and its request."""
    longest: float = 0.0
    slowest: float = 0.0
    """Mean waiting time of the agent that waited longest on average, in seconds. Agents with few requests are left out;
    0 if all are.
    """

    @property
    def unfairness(self) -> float:
        """Return `slowest` divided by `mean`; 0 if nothing has waited."""
        return self.slowest / self.mean if self.mean > 0 else 0.0

    def __add__(self, other: "Waits") -> "Waits":
        """Return the combined statistics of two disjoint sets of agents."""
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
    """Token usage of model calls, where the provider reports it."""

    calls: int = 0
    """Number of replies, usable or not."""
    input_tokens: int = 0
    output_tokens: int = 0
    retries: int = 0
    """Number of calls after a failure: of the next provider, or of the same module in its next run."""
    money: float = 0.0
    """Price by the operator's price list."""
    unpriced: int = 0
    """Number of replies of models that the price list does not have."""

    @property
    def tokens(self) -> int:
        """Return the sum of input and output tokens."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "TokenUse") -> "TokenUse":
        """Return the sum of both usages."""
        return TokenUse(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            retries=self.retries + other.retries,
            money=self.money + other.money,
            unpriced=self.unpriced + other.unpriced,
        )


class HostHealthReport(Value):
    """Health report of an agent host. Its counters start at 0 with the process."""

    host: Identifier
    process: int
    seconds: float
    """Wall-clock seconds since the process started."""
    second: float
    """Current time of the society's clock, in seconds."""
    agents: int
    runs: dict[str, int]
    lateness: dict[str, Lateness]
    """Lateness by module, for modules that need no model."""
    hearing: Lateness
    """Delay between a percept's arrival at the host and its processing by the agent."""
    paces: dict[str, Pace]
    """Intervals and model requests by module, for modules that may ask a model."""
    waits: dict[str, Waits]
    """Model requests and waiting times, by rank of the module."""
    asked: Waits
    """Model requests of all ranks together."""
    token_use: dict[str, dict[str, TokenUse]]
    """Token usage by module and model. A request shared with another agent costs nothing."""
    top_spenders: dict[str, TokenUse]
    """Token usage of the agents of this host that used most, by agent id, highest first. The last report of a host has
    all its agents.
    """
    paused: str
    """Why no module asks a model at present, in words: the limit of the budget that is reached. Empty if modules ask.
    """
    waiting: int
    """Number of modules that wait to ask a model."""
    standing: str
    conflicts: int
    failures: dict[str, int]
    silence: float
    """Seconds of the society's clock since the last decision of the agent that has been silent longest."""
    memories: int
    """Number of memories of the host's agents, short-term and long-term."""
    memory: int
    """Resident memory in bytes."""
    cpu: float
    """CPU time in seconds."""


def total(spent: Mapping[str, Mapping[str, TokenUse]]) -> TokenUse:
    """Return the total usage over all modules and models."""
    return sum((model for models in spent.values() for model in models.values()), TokenUse())


class WorldHealthReport(Value):
    """Health report of a world process. Its counters start at 0 with the process."""

    process: int
    second: float
    """Current time of the society's clock, in seconds."""
    agents: int
    ticks: int
    missed: int
    """Number of ticks skipped because earlier ones took too long."""
    lateness: Lateness
    """Lateness of ticks."""
    percepts: int
    """Number of percepts sent."""
    acts: int
    memory: int
    """Resident memory in bytes."""
    cpu: float
    """CPU time in seconds."""
