"""The package of `vectorize-io/agent-memory-benchmark`, as far as a provider meets it, after its public code."""

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest


@dataclass
class Document:
    """A document of the benchmark (`memory_bench.models.Document`)."""

    id: str
    content: str
    user_id: str | None = None
    messages: list[dict[str, Any]] | None = None
    timestamp: str | None = None
    context: str | None = None


class MemoryProvider(ABC):
    """The interface of a memory (`memory_bench.memory.base.MemoryProvider`)."""

    name: str
    description: str
    kind: str
    concurrency: int = 4

    @abstractmethod
    def ingest(self, documents: list[Document]) -> None:
        """Take in documents."""

    @abstractmethod
    def retrieve(
        self, query: str, k: int = 10, user_id: str | None = None, query_timestamp: str | None = None
    ) -> tuple[list[Document], dict[str, Any] | None]:
        """Return the best documents of a user for a query."""


def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """Install the package for a test, and return its modules by name."""
    modules = {name: ModuleType(name) for name in ("memory", "memory.base", "models", "cli")}
    modules["memory"].REGISTRY = {}  # type: ignore[attr-defined]
    modules["memory.base"].MemoryProvider = MemoryProvider  # type: ignore[attr-defined]
    modules["models"].Document = Document  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "memory_bench", ModuleType("memory_bench"))
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, f"memory_bench.{name}", module)
    return modules
