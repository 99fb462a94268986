"""The parts of an experiment with a language model: its conditions, its societies, and its measures."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from nemuri.experiments.report import CheckedClaim
from nemuri_infra.bus.event_log import Log
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.contracts.society import HostHealthReport, Society, TokenUse, total
from nemuri_society.experiments.experiment_society import FULL, Setting
from nemuri_society.simulation.model_choice import SCRIPTED
from nemuri_society.stores.society_record import StoredEvent

MODULES: Final = tuple(module.spec.name for module in build_modules(NoMemories()))
"""Names of the nine modules. Every experiment with a model has all of them, but those that a condition leaves out."""
ANSWERS, FAILED = "model answers per agent and minute", "failed model requests, share"
TOKENS, BY_RULES = "tokens per agent and minute", "answers by rules instead of the model, share"


class Measure(Protocol):
    """A measurement of the life of one society. It sees the events of the record in their order."""

    def add(self, event: StoredEvent) -> None:
        """Take an event of the record."""

    def figures(self) -> Mapping[str, float]:
        """Return the figures by their names. Those that the life does not allow are left out."""


Intervene = Callable[[Log, Society, float], Awaitable[None]]
"""Steps that people take while a society lives: of the log, the society and the duration of its life in seconds."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A condition of an experiment."""

    without: frozenset[str] = frozenset()
    """Modules that are left out."""
    file: str | None = None
    """Society file in place of that of the experiment."""
    intervene: Intervene | None = None
    """Interventions of people while a society of this condition lives; None for none."""


@dataclass(frozen=True, slots=True)
class ModelExperiment:
    """The definition of an experiment with a language model."""

    title: str
    label: str
    """The caveat: the meaning and the limits of the figures."""
    file: str
    """Society file in the folder `societies`, without its extension."""
    arms: Mapping[str, Arm]
    """Conditions by their names. Those of `--without` are added."""
    claims: tuple[CheckedClaim, ...]
    measure: Callable[[Society, float], Measure]
    """A function from a society and the duration of its life in seconds to its measure."""
    usual: Setting
    paper: Setting
    """Size in the paper."""
    runs: int = 3
    fewest: int = 3
    """Minimum number of agents."""
    shortest: int = 60
    """Minimum duration in seconds."""

    def conditions(self, setting: Setting) -> dict[str, Arm]:
        """Return all conditions: those of the experiment, and the first one without each module of the setting."""
        first = next(iter(self.arms))
        found = dict(self.arms)
        for name, without in setting.ablations.items():
            label = name if first == FULL else f"{first}, {name}"
            found.setdefault(label, Arm(without, self.arms[first].file, self.arms[first].intervene))
        return found


@dataclass(slots=True)
class ModelUse:
    """The measure that every life has: how much its agents asked the model, and how often in vain."""

    society: Society
    seconds: float
    hosts: dict[str, HostHealthReport] = field(default_factory=dict)
    """Newest figures of each host, whose counters began with its process."""

    def add(self, event: StoredEvent) -> None:
        """Take an event of the record."""
        if event.kind == "figures":
            host = HostHealthReport.model_validate(event.values["figures"])
            self.hosts[host.host] = host

    def figures(self) -> Mapping[str, float]:
        """Return answers and tokens per agent and minute, and the shares of failures and of answers by rules."""
        hosts, minutes = self.hosts.values(), len(self.society.agents) * self.seconds / 60
        answered, failed = (sum(getattr(host.asked, name) for host in hosts) for name in ("answered", "failed"))
        used = sum((total(host.token_use) for host in hosts), TokenUse())
        by_rules = sum(use[SCRIPTED].calls for host in hosts for use in host.token_use.values() if SCRIPTED in use)
        asked = answered + failed
        return {ANSWERS: answered / minutes, TOKENS: used.tokens / minutes} | (
            {FAILED: failed / asked, BY_RULES: by_rules / max(1, used.calls)} if asked else {}
        )
