"""The export of an agent's memories as lines that can be imported again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from nemuri.moving.formats import markdown
from nemuri_contracts.memory_views import AgentView, MemoryView

FORMATS: Final = ("jsonl", "markdown")


def export_lines(agent: AgentView, memories: Sequence[MemoryView]) -> list[dict[str, Any]]:
    """Return the definition of an agent and its memories, each an object, in an order that does not depend on when they
    were stored.

    A memory that does not say when it was told was told when it was stored, and one that was superseded held until
    then. Principles are part of the definition. Semantic memories that were split are left out, because they proved
    wrong, and strengths, because they are earned by use.
    """
    told = [_line(view) for view in memories if not view.principle and view.status != "split"]
    definition = agent.definition.model_dump(mode="json", exclude_defaults=True)
    return [{"agent": definition}, *sorted(told, key=lambda line: (line["said_at"], orjson.dumps(line)))]


def _line(view: MemoryView) -> dict[str, Any]:
    since, until = view.memory.valid_from, view.memory.until or view.held_until
    if since is not None and until is not None and since > until:
        until = None
    times = {"said_at": view.memory.said_at or view.created_at, "until": until}
    memory = view.memory.model_copy(update=times)
    line: dict[str, Any] = memory.model_dump(mode="json", exclude_defaults=True)
    line["scope"] = memory.scope.model_dump(mode="json", exclude_defaults=True) | {"level": memory.scope.level}
    return line | ({"pinned": True} if view.pinned else {})


def written(name: str, agent: str, lines: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield the lines of an export in the format `name`, each with its end."""
    if name == "markdown":
        for line in markdown.write(agent, lines):
            yield line.encode() + b"\n"
    else:
        for entry in lines:
            yield orjson.dumps(entry) + b"\n"
