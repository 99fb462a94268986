"""The provider for `vectorize-io/agent-memory-benchmark`: messages of documents, and the start of its program."""

from typing import Any

import pytest

from nemuri.evaluation.agent_memory_benchmark import NAME, main, messages_of
from tests.unit.client.evaluation.memory_bench import Document, installed


def test_the_messages_of_a_document_are_read() -> None:
    """Own messages count first, then a list of turns that the content spells as JSON, then the content."""
    said = Document("d", "text", messages=[{"role": "assistant", "content": "Hi."}], timestamp="2023-05-08")
    assert messages_of(said) == [{"role": "assistant", "content": "Hi.", "name": None, "at": "2023-05-08"}]
    [turn] = messages_of(Document("d", '[{"speaker": "Ann", "dia_id": "D1:1", "text": "Hello."}]'))
    assert (turn["name"], turn["content"], turn["role"]) == ("Ann", "Hello.", "user")
    for content in ("plain", "[1, 2]", "[]", "{}"):
        assert [one["content"] for one in messages_of(Document("d", content))] == [content]


def test_the_benchmarks_program_gets_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider is in the benchmark's registry when its program runs."""
    benchmark, seen = installed(monkeypatch), list[object]()
    registry: dict[str, Any] = benchmark["memory"].REGISTRY
    benchmark["cli"].app = lambda: seen.append(registry[NAME]().name)  # type: ignore[attr-defined]
    main()
    assert seen == [NAME]
