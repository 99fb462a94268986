"""A world for tests of how worlds are kept, whatever is in them."""


class Jar:
    """A world that is nothing but bytes."""

    def __init__(self, content: bytes = b"") -> None:
        """With something in it."""
        self.content = content

    def dump(self) -> bytes:
        """All of it."""
        return self.content

    def load(self, dumped: bytes) -> None:
        """Something else."""
        self.content = dumped
