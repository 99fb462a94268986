"""The clock of a simulation. It may run faster than real time and never goes back."""

import time


class SimulationClock:
    """A clock that starts at the given second of the simulation and runs `speed` times as fast as real time."""

    def __init__(self, second: float, speed: float) -> None:
        """Start the clock at `second`. `speed` is greater than 0."""
        self.speed = speed
        self._start_second = second
        self._started_at = time.monotonic()

    def __call__(self) -> float:
        """Return the present second of the simulation."""
        return self._start_second + (time.monotonic() - self._started_at) * self.speed

    def wall_seconds(self, seconds: float) -> float:
        """Convert a duration in seconds of the simulation to wall-clock seconds; negative durations give 0."""
        return max(0.0, seconds / self.speed)
