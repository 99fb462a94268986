"""Tables of the memories: strengths before and after the second round, and changes of rank."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Final
from uuid import UUID

from rich.table import Table
from rich.text import Text

from nemuri.demo.scenario import DemoRecord
from nemuri.terminal.output import short
from nemuri_contracts.memory_views import MemoryView

RISEN: Final = 5
"""Number of strongest memories shown for each agent."""
FALLEN: Final = 3
"""Number of weakest memories shown for each agent."""
_STEADY: Final = 0.005
_FIGURES: Final = 58
"""Width of the numeric columns together, in characters."""
_NARROWEST: Final = 30
"""Minimum width of a memory's text, in characters."""


def strengths(played: DemoRecord, width: int) -> Table:
    """Return a table of the memories learned in the first round: for each agent the strongest and the weakest.

    `width` is the width of the screen in characters.
    """
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("memory", no_wrap=True)
    for column in ("from", "before", "after", "", "uses", "level", "rank"):
        table.add_column(column, justify="right", no_wrap=True)
    for agent_id, memories in _by_agent(played):
        table.add_row(Text(f"{agent_id}, {played.after.slept[agent_id]} sessions slept", style="bold"))
        shown = memories if len(memories) <= RISEN + FALLEN else [*memories[:RISEN], *memories[-FALLEN:]]
        for place, memory in enumerate(shown):
            if place == RISEN and len(memories) > len(shown):
                table.add_row(Text(f"  … {len(memories) - len(shown)} more in between", style="dim"))
            table.add_row(*_row(played, memory, max(width - _FIGURES, _NARROWEST)))
    return table


def summary(played: DemoRecord) -> Iterator[str]:
    """Yield a summary of the table in sentences."""
    used, unused = played.used, played.unused
    if used:
        yield (
            f"Of {len(played.learned)} memories learned in the first round, the second used {len(used)}: "
            f"their mean strength went from {_mean(played, used, before=True):.2f} to {_mean(played, used):.2f}."
        )
    if unused:
        yield (
            f"{len(unused)} have never been used: "
            f"they faded from {_mean(played, unused, before=True):.2f} to {_mean(played, unused):.2f}."
        )
    if places := played.rank_changes():
        higher = sum(change.score_gain > 0 for change in places)
        yield (
            f"Of the memories used in the second round, {higher} of {len(places)} "
            f"score higher in the retrieval than before (mean {fmean(change.before.score for change in places):.2f} → "
            f"{fmean(change.after.score for change in places):.2f}); "
            f"{sum(rank_change.ranks_gained > 0 for rank_change in places)} rank higher, "
            f"{sum(rank_change.ranks_gained < 0 for rank_change in places)} lower, "
            f"{sum(change.before.rank == change.after.rank == 1 for change in places)} stayed first."
        )
        yield from _overtaking(played)
    archived = [memory for memory in played.after.memories.values() if memory.status == "archived"]
    yield f"Archived: {len(archived)}." if archived else "Archived: none, because no strength is low enough yet."
    for memory in archived:
        yield f"  {short(memory.memory.content, 100)} at {memory.strength:.2f}"


def _overtaking(played: DemoRecord) -> Iterator[str]:
    """Yield a line for each memory that rose, with the memory that it overtook."""
    for rank_change in played.rank_changes():
        if rank_change.ranks_gained <= 0:
            continue
        places = played.after.recalled[rank_change.number]
        behind = next(memory for memory, place in places.items() if place.rank == rank_change.after.rank + 1)
        used, left = played.after.memories[rank_change.memory_id], played.after.memories[behind]
        yield (
            f"  question {rank_change.number}, rank {rank_change.before.rank} → {rank_change.after.rank}: "
            f"“{short(used.memory.content, 60)}” ({_uses(used)}, {used.strength:.2f}) "
            f"is now before “{short(left.memory.content, 60)}” ({_uses(left)}, {left.strength:.2f})"
        )


def _uses(memory: MemoryView) -> str:
    return f"used {memory.access_count}×" if memory.access_count else "never used"


def _by_agent(played: DemoRecord) -> Iterator[tuple[str, Sequence[MemoryView]]]:
    learned = [played.after.memories[memory_id] for memory_id in played.learned]
    for agent_id in sorted({memory.agent_id for memory in learned}):
        own = [memory for memory in learned if memory.agent_id == agent_id]
        yield agent_id, sorted(own, key=lambda memory: (-memory.strength, str(memory.memory_id)))


def _row(played: DemoRecord, memory: MemoryView, room: int) -> tuple[Text, ...]:
    before = played.before.memories[memory.memory_id].strength
    change = memory.strength - before
    arrow, style = ("→", "") if abs(change) < _STEADY else ("↑", "green") if change > 0 else ("↓", "red")
    return (
        Text(f"  {short(memory.memory.content, room)}"),
        Text(f"question {played.learned[memory.memory_id]}"),
        Text(f"{before:.2f}"),
        Text(f"{memory.strength:.2f}"),
        Text(arrow, style=style),
        Text(str(memory.access_count)),
        Text(str(memory.level)),
        Text(_rank(played, memory.memory_id)),
    )


def _rank(played: DemoRecord, memory: UUID) -> str:
    """Return the memory's rank, before and after the second round, for the question from which it was learned."""
    number = played.learned[memory]
    before = played.before.recalled.get(number, {}).get(memory)
    after = played.after.recalled.get(number, {}).get(memory)
    if before is None or after is None:
        return ""
    return f"{before.rank}" if before.rank == after.rank else f"{before.rank} → {after.rank}"


def _mean(played: DemoRecord, memories: Sequence[UUID], *, before: bool = False) -> float:
    standing = played.before if before else played.after
    return fmean(standing.memories[memory].strength for memory in memories)
