"""The simulation clock, which may run faster than the wall clock and never goes back."""

import time


class SimulationClock:
    """A clock that starts at a second and runs `speed` times as fast as the wall clock."""

    def __init__(self, second: float, speed: float) -> None:
        """Start the clock. `speed` is greater than 0."""
        self.speed = speed
        self._start_second = second
        self._started_at = time.monotonic()

    def __call__(self) -> float:
        """Return the present second."""
        return self._start_second + (time.monotonic() - self._started_at) * self.speed

    def wall_seconds(self, seconds: float) -> float:
        """Convert seconds of the simulation to seconds of the wall clock."""
        return max(0.0, seconds / self.speed)
