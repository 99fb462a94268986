"""The text of a handover for the terminal."""

from collections.abc import Iterator

from nemuri_contracts.colleague_views import HandoverView

SHOWN_CHARACTERS = 100
"""Maximum number of characters of a memory in a line."""
_REASONS = {"known": "{receiver} knows it already, memory {by}", "contradicted": "memory {by} of {receiver} is newer"}


def lines(view: HandoverView, *, dry_run: bool) -> Iterator[str]:
    """Yield the lines that show a handover. With `dry_run`, they say what would happen."""
    verb = "would pass on" if dry_run else "passed on"
    number = len(view.memories)
    yield f"{view.source} {verb} {number} {'memory' if number == 1 else 'memories'} to {view.agent_id}"
    for memory in view.memories:
        where = memory.original if dry_run else memory.memory_id
        yield f"  {where}  {_brief(memory.memory.content)}"
    for left in view.left_out:
        yield f"  left out {left.memory_id}: {_REASONS[left.reason].format(receiver=view.agent_id, by=left.by)}"


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[: SHOWN_CHARACTERS - 1]}…"
