"""Text output of a memory's history, one line for each event that changed it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nemuri_domain.strength.memory_history import HistoryStep
    from nemuri_domain.strength.state_diff import MemoryState


def show_history(steps: "Sequence[HistoryStep]") -> None:
    """Print the history as a table."""
    from nemuri.cli.diff_lines import arrow
    from nemuri.terminal.output import table

    rows = [
        (
            str(each.sequence) if each.first == each.sequence else f"{each.first}-{each.sequence}",
            f"{each.at:%Y-%m-%d %H:%M:%S}",
            _kind(each),
            arrow(f"{side.strength:.3f}" for side in _sides(each)),
            arrow(str(side.level) for side in _sides(each)),
            "; ".join(_change_lines(each)) or "-",
        )
        for each in steps
    ]
    table(("event", "time (UTC)", "what happened", "strength", "level", "what changed"), rows, numbers=("event",))


def _sides(step: "HistoryStep") -> "list[MemoryState]":
    return [side for side in (step.before, step.after) if side is not None]


def _kind(step: "HistoryStep") -> str:
    if step.kind == "faded":
        return f"{step.sessions} {'session' if step.sessions == 1 else 'sessions'} slept"
    return step.kind.replace("_", " ")


def _change_lines(step: "HistoryStep") -> "Iterator[str]":
    """Yield a text for each change of a step, except of strength and level, and then the note of the event."""
    before, after = step.before, step.after
    if before is not None:
        if before.status != after.status:
            yield "archived" if after.status == "archived" else "restored from the archive"
        for name, was, now in (
            ("used", before.access_count, after.access_count),
            ("seen", before.candidate_count, after.candidate_count),
        ):
            if was != now:
                yield f"{name} {was} → {now}"
        if before.impact_score != after.impact_score:
            yield f"impact {before.impact_score:g} → {after.impact_score:g}"
        if step.kind not in {"faded", "agent_slept"}:
            yield from _perspectives(before, after)
    if step.note:
        yield step.note
    if step.kind == "agent_slept" and step.sessions:
        yield f"{step.sessions} {'session' if step.sessions == 1 else 'sessions'} slept"


def _perspectives(before: "MemoryState", after: "MemoryState") -> "Iterator[str]":
    for name, strength in after.strength_by_perspective.items():
        was = before.strength_by_perspective.get(name, before.strength)
        if was != strength:
            yield f"{name} {was:.3f} → {strength:.3f}"
