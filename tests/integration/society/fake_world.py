"""A fake world for tests of the world's lease."""


class FakeWorld:
    """A world whose whole state is a byte string."""

    def __init__(self, content: bytes = b"") -> None:
        """Create the world with `content` as its state."""
        self.content = content

    def dump(self) -> bytes:
        """Return the state."""
        return self.content

    def load(self, dumped: bytes) -> None:
        """Replace the state."""
        self.content = dumped
