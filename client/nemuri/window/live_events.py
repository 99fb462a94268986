"""New events of the log for one reader: those that meet its condition, at most a screenful at once."""

from collections import deque

from nemuri.admin.log_pages import LogFilter, LoggedEvent, LogPage, logged_event
from nemuri_contracts.codec import AnyEvent

MAX_ROWS = 50
"""Maximum number of rows in one message. Of more events only the newest are shown."""


MANY_ROWS = 20
"""Number of rows in one message from which on messages come more slowly, so that watchers cost little."""


class LiveEvents:
    """The events that one reader has not seen yet."""

    def __init__(self, condition: LogFilter, after: int) -> None:
        self._condition = condition
        self._rows = deque[AnyEvent | LoggedEvent](maxlen=MAX_ROWS)
        self._left_out = False
        self._missed = 0
        self.after = after
        """Sequence of the last event that was looked at."""

    def catch_up(self, page: LogPage, *, whole: bool) -> None:
        """Add the events that came before the stream began; `whole` is True if the page has all of them."""
        for event in page.events:
            self._append(event, event.sequence)
        self._left_out |= not whole

    def add(self, event: AnyEvent) -> None:
        """Add an event, if it is new and meets the condition."""
        sequence = event.sequence or 0
        if sequence <= self.after:
            return
        if self._condition.meets(event):
            self._append(event, sequence)
        self.after = sequence

    @property
    def are_many(self) -> bool:
        """True if more events wait than a person can follow."""
        return len(self._rows) >= MANY_ROWS

    def rows(self, missed: int) -> dict[str, object]:
        """Return the values of the next rows, newest first; nothing if there are none. `missed` is the number of events
        that came too fast since the stream began.
        """
        if not self._rows and missed == self._missed:
            return {}
        rows = [row if isinstance(row, LoggedEvent) else logged_event(row) for row in reversed(self._rows)]
        found = {"rows": rows, "left_out": self._left_out or missed > self._missed, "fresh": True}
        self._rows.clear()
        self._left_out, self._missed = False, missed
        return found

    def _append(self, row: AnyEvent | LoggedEvent, sequence: int) -> None:
        self._left_out |= len(self._rows) == MAX_ROWS
        self._rows.append(row)
        self.after = max(self.after, sequence)
