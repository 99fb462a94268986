"""Lists the public methods of the client and gives arguments for calls of them."""

import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.education import Chapter, Section, Textbook

ID = UUID("00000000-0000-4000-8000-000000000001")
BOOK = Textbook(
    title="Steel", chapters=(Chapter(title="One", sections=(Section(title="Steel", text="Steel is hard."),)),)
)
EXAMPLES: dict[str, Any] = {
    "messages": ["I live in Oslo."],
    "agent": "python", "answer": "x", "beginning": "0123456", "causes": [ID], "content": "Steel is hard.",
    "course_id": ID, "contents": {"notes/1": MemoryContent(content="Steel is hard.")},
    "memories": [MemoryContent(content="Steel is hard.")], "memory": "0123456", "memory_id": ID,
    "of": "task", "offer_id": ID, "option": "all", "principle_id": ID, "prompt": "steel?", "query": "steel?",
    "receiver": "cook", "scope": Scope(), "sequence": 1, "service": "intake", "source": "python", "task_id": ID,
    "person": "Ann", "older": ID,
    "text": "Is steel hard?", "textbook": BOOK, "until": datetime.now(UTC), "verdict": "helpful",
}  # fmt: skip
"""An argument for every parameter without a default, by the parameter's name."""


ALTERNATIVES = {
    "feedback": {"verdict": "helpful"},
    "adopt_principle": {"text": "Steel is hard."},
    "journal": {"agent": "python"},
}
"""Arguments of methods that need one of several parameters with a default, by the method's name."""


def public(kind: type) -> list[str]:
    """Return the names of a client's public methods, except `connect` and `within`."""
    methods = inspect.getmembers(kind, inspect.isfunction)
    return [name for name, _ in methods if not name.startswith("_") and name not in {"within", "connect"}]


def arguments(method: Callable[..., Any]) -> dict[str, Any]:
    """Return an argument for every parameter of a method without a default."""
    found = [*inspect.signature(method).parameters.values()][1:]
    needed = [
        parameter
        for parameter in found
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]
    return {each.name: EXAMPLES[each.name] for each in needed} | ALTERNATIVES.get(method.__name__, {})
