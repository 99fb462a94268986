"""How often the modules of a society run and ask a model."""

from nemuri_contracts.event import Value


class Pace(Value):
    """How often a module of all agents ran and asked a model. Counted since the start of the host."""

    runs: int = 0
    """Number of runs that followed an earlier one, so that the interval between them is known."""
    interval_seconds: float = 0.0
    """Sum of these intervals, from the end of a run to the beginning of the next, in seconds of the society's clock."""
    longest_interval: float = 0.0
    late: int = 0
    """Number of intervals longer than document 002 allows. 0 for modules for which it names no longest interval."""
    requests: int = 0
    """Number of model requests."""
    wait_seconds: float = 0.0
    """Sum of the wall-clock seconds that requests waited for a place."""
    longest_wait: float = 0.0
    answered: int = 0
    answer_seconds: float = 0.0
    """Sum of the wall-clock seconds in which the model answered."""

    @property
    def interval(self) -> float:
        """Return the mean interval between two runs; 0 without runs."""
        return self.interval_seconds / self.runs if self.runs else 0.0

    @property
    def wait(self) -> float:
        """Return the mean wait of a request for a place; 0 without requests."""
        return self.wait_seconds / self.requests if self.requests else 0.0

    @property
    def answer(self) -> float:
        """Return the mean time of an answer; 0 without answers."""
        return self.answer_seconds / self.answered if self.answered else 0.0

    def __add__(self, other: "Pace") -> "Pace":
        """Return the combined figures of two hosts."""
        mine, others = self.model_dump(), other.model_dump()
        return Pace(
            **{
                name: max(value, others[name]) if name.startswith("longest") else value + others[name]
                for name, value in mine.items()
            }
        )

    def since(self, earlier: "Pace") -> "Pace":
        """Return the figures counted after `earlier`. The longest ones are those since the start."""
        mine, then = self.model_dump(), earlier.model_dump()
        return Pace(
            **{name: value if name.startswith("longest") else value - then[name] for name, value in mine.items()}
        )
