"""Prompts of embedding models: what a model wants to read before a query and before a document."""

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

_E5 = re.compile(r"(?:^|[^a-z0-9])e5(?:[^a-z0-9]|$)")


@dataclass(frozen=True, slots=True)
class Prompts:
    """Texts in front of each query and each document."""

    query: str = ""
    document: str = ""

    @property
    def symmetric(self) -> bool:
        """Return whether queries and documents begin alike."""
        return self.query == self.document

    def named(self, model: str) -> str:
        """Return the name of a model with these prompts, because other prompts give other vectors."""
        if not (self.query or self.document):
            return model
        digest = sha256(f"{self.query}\x00{self.document}".encode()).hexdigest()
        return f"{model}-{digest[:8]}"


NO_PROMPTS: Final = Prompts()
E5: Final = Prompts("query: ", "passage: ")


def prompts_of(name: str) -> Prompts:
    """Return the prompts that the name of a model tells: those of e5, except its variants for instructions."""
    lower = name.lower()
    return E5 if _E5.search(lower) and "instruct" not in lower else NO_PROMPTS
