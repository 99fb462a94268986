"""The clock of a simulation. It may run faster than real time, may stand still, and never goes back."""

import time


class SimulationClock:
    """A clock that starts at the given second of the simulation and runs `speed` times as fast as real time."""

    def __init__(self, second: float, speed: float) -> None:
        """Start the clock at `second`. `speed` is greater than 0."""
        self.speed = speed
        self._start_second = second
        self._started_at = time.monotonic()
        self._until: float | None = None

    def __call__(self) -> float:
        """Return the present second of the simulation."""
        second = self._start_second + (time.monotonic() - self._started_at) * self.speed
        return second if self._until is None else min(second, self._until)

    def move_to(self, second: float) -> None:
        """Set the clock forward to a second. An earlier second changes nothing."""
        self._start_second, self._started_at = max(second, self()), time.monotonic()
        if self._until is not None:
            self._until = max(self._until, self._start_second)

    def run_until(self, until: float | None) -> None:
        """Let the clock stand still from the second `until` on; None lets it run on.

        A second that is over stops it now.
        """
        self.move_to(0.0)
        self._until = None if until is None else max(until, self._start_second)

    def wall_seconds(self, seconds: float) -> float:
        """Convert a duration in seconds of the simulation to wall-clock seconds; negative durations give 0."""
        return max(0.0, seconds / self.speed)
