"""A cassette: a job, replies to it, and what the model makes of each reply."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Final

from nemuri_infra.models.failures import ModelRefused, ModelUnusable
from nemuri_infra.models.protocol import Job
from tests.cassettes import jobs
from tests.cassettes.wire import ProviderName, Said

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """Replies of a provider to a job, in order, and the value or the type of error that the job ends with."""

    replies: tuple[Said, ...]
    value: Any


@dataclass(frozen=True)
class Cassette:
    """A job with a good reply. The usual bad replies are derived from the good one."""

    job: Job[Any]
    text: str
    """A good reply."""
    value: Any
    """Result of the job for the good reply."""
    otherwise: Any
    """Result for a reply without anything usable, or the type of the error."""
    free: bool = False
    """True if the reply is free text, so that every text is a good reply."""
    more: Mapping[str, Case] = field(default_factory=dict)
    """Further cases by name: replies that are bad for this job in particular, such as unknown labels."""

    @property
    def cases(self) -> Mapping[str, Case]:
        """Return all cases by name."""
        half = self.text[: len(self.text) // 2]
        common = {
            "good": Case((Said(self.text),), self.value),
            "empty": Case((Said(),), ModelUnusable),
            "refusal": Case((Said(stop="refusal"),), ModelRefused),
        }
        if self.free:
            continued = Case((Said(half, "length"), Said(self.text[len(half) :])), self.value)
            return {**common, "truncated once": continued, **self.more}
        structured = {
            "prose around it": Case((Said(f"Of course!\n```json\n{self.text}\n```\nAnything else?"),), self.value),
            "no JSON": Case((Said("I would rather not say."),), self.otherwise),
            "broken JSON": Case((Said('{"'),), self.otherwise),
            "another schema": Case((Said('{"unexpected": [1, {"x": null}], "why": 3}'),), self.otherwise),
            "truncated once": Case((Said(half, "length"), Said(self.text)), self.value),
            "truncated twice": Case((Said(half, "length"), Said(half, "length")), ModelRefused),
        }
        return {**common, **structured, **self.more}


def cassette_names() -> list[str]:
    """Return the names of the jobs with a cassette."""
    return sorted(module.name for module in iter_modules(jobs.__path__))


def cassette(name: str) -> Cassette:
    """Return the cassette of a job."""
    found: Cassette = import_module(f"{jobs.__name__}.{name}").CASSETTE
    return found


def recorded_path(provider: ProviderName, name: str) -> Path:
    """Return the path of the recorded requests and replies of a job."""
    return FOLDER / provider / f"{name}.json"
