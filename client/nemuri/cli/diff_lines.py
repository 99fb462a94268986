"""Output of the differences between two states of an agent: tables for people, JSON for programs."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nemuri_domain.strength.state_diff import Differences, MemoryChange


def differences(found: "Differences") -> dict[str, Any]:
    """Return the differences as JSON values."""
    from nemuri.operations.agent_states import StateDifference

    return StateDifference.of(found).model_dump(mode="json", by_alias=True)


def _sorts(found: "Differences") -> "dict[str, Sequence[MemoryChange]]":
    return {
        "began": found.began,
        "gone": found.gone,
        "archived": found.archived,
        "returned": found.returned,
        "levels": found.levels,
        "stronger": found.stronger,
        "weaker": found.weaker,
    }


_HEADS = {
    "began": "began",
    "gone": "no longer present",
    "archived": "archived",
    "returned": "restored from the archive",
    "levels": "at another level",
    "stronger": "stronger",
    "weaker": "weaker",
}


def show_differences(found: "Differences", top: int, heads: "Mapping[str, str]" = _HEADS) -> None:
    """Print one table for each kind of difference that occurs."""
    from nemuri.terminal.output import say, short

    for name, changes in _sorts(found).items():
        if changes:
            say(f"\n{heads[name]}: {len(changes)}")
            show_changes(changes, top)
    for what, altered in (("policy", found.policy), ("definition", found.definition)):
        if altered:
            say(f"\n{what}")
        for name, (before, after) in altered.items():
            say(f"  {name}: {short(str(before), 60)} → {short(str(after), 60)}")
    if not (found.changes or found.policy or found.definition):
        say("no differences")


def show_changes(changes: "Sequence[MemoryChange]", top: int) -> None:
    """Print a table of memories whose state changed."""
    from nemuri.terminal.output import short, table

    rows = [
        (
            change.memory_id,
            arrow(f"{side.strength:.3f}" if side else None for side in (change.before, change.after)),
            arrow(str(side.level) if side else None for side in (change.before, change.after)),
            arrow(side.status if side else None for side in (change.before, change.after)),
            short(change.content, 80),
        )
        for change in changes[:top]
    ]
    if rows:
        table(("memory", "strength", "level", "status", "content"), rows, spare=("status",))
    more(len(changes) - len(rows))


def arrow(sides: "Iterable[str | None]") -> str:
    """Return "before → after", or the value alone if both are equal or only one is known."""
    return " → ".join(dict.fromkeys(side for side in sides if side is not None))


def more(left: int) -> None:
    """Print the number of rows that a table left out, if any."""
    from nemuri.terminal.output import say

    if left > 0:
        say(f"and {left} more; --top shows more, --json shows all")
