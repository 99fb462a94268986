"""The script of the experiments without a language model, `script.yaml`: topics, roles and utterances."""

from importlib.resources import files
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Topic(_Part):
    """A topic that spreads by talk."""

    says: str
    """An utterance that mentions it."""
    keywords: str
    """Beginnings of words by which it is recognised, as a regular expression."""


class Role(_Part):
    """A role in a town."""

    share: float
    """Desired share of the town, 0 to 1."""
    goals: tuple[str, ...]
    """Goals by which the role is recognised."""


class TaxSayings(_Part):
    """Utterances for and against taxes."""

    against: str
    worth: str


class Script(_Part):
    """Everything that people say and do by the script."""

    topics: dict[str, Topic]
    roles: dict[str, Role]
    kind: tuple[str, ...]
    rude: tuple[str, ...]
    neutral: tuple[str, ...]
    taxes: TaxSayings


SCRIPT: Final = Script.model_validate(
    yaml.safe_load(files(__package__).joinpath("script.yaml").read_text(encoding="utf-8"))
)
