"""The demo: agents that learn from the language reference that CPython ships, on a platform of their own."""

from nemuri.demo.run import run

__all__ = ["run"]
