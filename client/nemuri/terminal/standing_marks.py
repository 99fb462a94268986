"""Marks of recalled memories that a newer one outdates or succeeds."""

from nemuri_contracts.strength import Candidate


def standing_mark(candidate: Candidate) -> str:
    """Return the mark of a recalled memory: until when it held, that it is older than another about the same, less
    exact, or outdated; "" if nothing newer was recalled.
    """
    if candidate.held_until is not None:
        return f"(until {candidate.held_until:%B %Y})"
    if candidate.yields_to is None:
        return ""
    return {None: "(older)", "refines": "(less exact)"}.get(candidate.yields_as, "(outdated)")
