"""The society's clock: seconds that may pass faster than the wall's, and never go back."""

import time


class Clock:
    """Seconds of the society; begins at a second, and passes `speed` times as fast as the wall's."""

    def __init__(self, second: float, speed: float) -> None:
        """`speed` is greater than 0."""
        self.speed = speed
        self._second = second
        self._began = time.monotonic()

    def __call__(self) -> float:
        """The present second."""
        return self._second + (time.monotonic() - self._began) * self.speed

    def wall(self, seconds: float) -> float:
        """How long so many seconds of the society take on the wall."""
        return max(0.0, seconds / self.speed)
