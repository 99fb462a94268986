"""The changes of an agent's last night, in words."""

from typing import Final

from nemuri.mcp_server.quoted_text import beginning, moment, plural, short
from nemuri.operations.agent_history import AgentHistories
from nemuri.operations.night_changes import NightChange
from nemuri.operations.nights import Night, last_night
from nemuri_infra.bus.event_log import Log

MAX_NAMED: Final = 10
"""Maximum number of memories that each part of a report names."""
TITLES: Final = {
    "archived": "archived",
    "deleted": "deleted for good",
    "merged": "merged into others",
    "compressed": "put into fewer words",
    "lowered": "moved to a lower level",
    "raised": "moved to a higher level",
    "returned": "came back from the archive",
    "protected": "protected from now on",
}


async def sleep_report(log: Log, histories: AgentHistories, agent: str) -> str:
    """Return what an agent's last night changed: its last sleeps, its last nightly job or its last consolidation."""
    night = await last_night(log, histories.of(log, agent), agent)
    return f"{agent} has not slept yet." if night is None else "\n".join(_lines(night))


def _lines(night: Night) -> list[str]:
    slept = f" over {plural(night.sessions, 'session')}" if night.sessions else ""
    lines = [f"The last night of {night.agent_id} ended on {moment(night.at)}{slept}."]
    for sort, changes in night.by_sort.items():
        lines.append(f"{plural(len(changes), 'memory', 'memories')} {TITLES[sort]}:")
        lines += [_line(change) for change in changes[:MAX_NAMED]]
        lines += [f"- and {len(changes) - MAX_NAMED} more"] if len(changes) > MAX_NAMED else []
    if night.faded.number:
        lines.append(f"{plural(night.faded.number, 'memory', 'memories')} became weaker, the weakest now:")
        lines += [
            f"- [{short(memory.memory_id)}] {memory.before:.3f} → {memory.after:.3f}: {beginning(memory.words)}"
            for memory in night.faded.weakest
        ]
    return lines if len(lines) > 1 else [*lines, "It changed no memory."]


def _line(change: NightChange) -> str:
    became = f" → {beginning(change.after_words)}" if change.after_words else ""
    return f"- [{short(change.memory_id)}] {beginning(change.words)}{became}"
