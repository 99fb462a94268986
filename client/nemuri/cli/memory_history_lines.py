"""Text output of a memory's history, one line for each event that changed it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemuri_domain.strength.memory_history import HistoryStep
    from nemuri_domain.strength.state_diff import MemoryState


def show_history(steps: "Sequence[HistoryStep]") -> None:
    """Print the history as a table."""
    from nemuri.admin.memory_history_text import change_texts, step_name
    from nemuri.cli.diff_lines import arrow
    from nemuri.terminal.output import table

    rows = [
        (
            str(step.sequence) if step.first == step.sequence else f"{step.first}-{step.sequence}",
            f"{step.at:%Y-%m-%d %H:%M:%S}",
            step_name(step),
            arrow(f"{side.strength:.3f}" for side in _sides(step)),
            arrow(str(side.level) for side in _sides(step)),
            "; ".join(change_texts(step)) or "-",
        )
        for step in steps
    ]
    table(("event", "time (UTC)", "what happened", "strength", "level", "what changed"), rows, numbers=("event",))


def _sides(step: "HistoryStep") -> "list[MemoryState]":
    return [side for side in (step.before, step.after) if side is not None]
