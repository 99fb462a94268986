"""New events of the log for one reader."""

from datetime import UTC, datetime
from uuid import uuid4

from nemuri.admin.log_pages import LogFilter, LoggedEvent, LogPage
from nemuri.window.live_events import MAX_ROWS, LiveEvents
from nemuri_contracts.strength import SessionEnded


def event(sequence: int, agent_id: str = "python") -> SessionEnded:
    """Return an event at a place of the log."""
    ended = SessionEnded(event_id=uuid4(), agent_id=agent_id, assignment_id=uuid4())
    return ended.model_copy(update={"sequence": sequence, "recorded_at": datetime.now(UTC)})


def shown(live: LiveEvents, missed: int = 0) -> list[int]:
    """Return the sequences of the next rows."""
    rows = live.rows(missed).get("rows", [])
    assert isinstance(rows, list)
    return [row.sequence for row in rows if isinstance(row, LoggedEvent)]


def test_events_are_shown_once_and_newest_first() -> None:
    """Leave out events up to the place that was seen, and show each other one once."""
    live = LiveEvents(LogFilter(), after=5)
    for sequence in (4, 5, 6, 7, 7):
        live.add(event(sequence))
    assert shown(live) == [7, 6]
    assert shown(live) == []
    assert live.after == 7


def test_other_events_move_the_place_only() -> None:
    """Leave out events that do not meet the condition, but count them as seen."""
    live = LiveEvents(LogFilter(agent="python"), after=0)
    live.add(event(1, "other"))
    assert (live.rows(0), live.after) == ({}, 1)


def test_too_many_events_are_cut_and_said() -> None:
    """Show the newest rows of a burst, and say that there were more; also if the reader was too slow."""
    live = LiveEvents(LogFilter(), after=0)
    for sequence in range(1, MAX_ROWS + 3):
        live.add(event(sequence))
    rows = live.rows(0)
    assert rows["left_out"]
    assert len(rows["rows"]) == MAX_ROWS  # type: ignore[arg-type]
    live.add(event(MAX_ROWS + 3))
    assert not live.rows(0)["left_out"]
    assert live.rows(9)["left_out"]


def test_the_gap_before_the_stream_is_filled() -> None:
    """Show what came between the page and the stream, without repeating it when the stream brings it again."""
    live = LiveEvents(LogFilter(), after=1)
    line = LoggedEvent(sequence=3, recorded_at=None, kind=None, event_id=uuid4(), sources=(), unreadable="no JSON")
    live.catch_up(LogPage(events=(line,), older=None, newer=None), whole=True)
    live.add(event(3))
    live.add(event(4))
    assert shown(live) == [4, 3]
