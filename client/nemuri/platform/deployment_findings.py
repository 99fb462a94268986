"""Findings of the check of a deployment."""

from typing import Literal

from nemuri_contracts.event import Value

State = Literal["ok", "warning", "missing"]


class Finding(Value):
    """The result of one check."""

    about: str
    """Subject of the check: a server, a stream, a service, …"""
    state: State
    """`missing` if the platform cannot work so, `warning` if it works but somebody should look."""
    said: str
    """Finding in one line; with the remedy unless it is `ok`."""


def ok(about: str, said: str) -> Finding:
    """Return a finding that needs no action."""
    return Finding(about=about, state="ok", said=said)


def warning(about: str, said: str) -> Finding:
    """Return a finding that somebody should look at."""
    return Finding(about=about, state="warning", said=said)


def missing(about: str, said: str) -> Finding:
    """Return a finding that keeps the platform from working."""
    return Finding(about=about, state="missing", said=said)
