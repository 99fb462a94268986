"""The steps of a memory's history in words, for every face that shows them."""

from collections.abc import Iterator

from nemuri_domain.strength.memory_history import HistoryStep
from nemuri_domain.strength.state_diff import MemoryState


def step_name(step: HistoryStep) -> str:
    """Return what happened in a step, in a few words."""
    if step.kind == "faded":
        return f"{step.sessions} {'session' if step.sessions == 1 else 'sessions'} slept"
    return step.kind.replace("_", " ")


def change_texts(step: HistoryStep) -> Iterator[str]:
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


def _perspectives(before: MemoryState, after: MemoryState) -> Iterator[str]:
    for name, strength in after.strength_by_perspective.items():
        was = before.strength_by_perspective.get(name, before.strength)
        if was != strength:
            yield f"{name} {was:.3f} → {strength:.3f}"
