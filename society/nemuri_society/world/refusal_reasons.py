"""Reasons of refused or failed acts that several kinds of acts share."""

DONE = ""
"""Empty reason of a successful act."""
NO_SUCH_POSITION = "there is no such position in this world"
TOO_FAR = "that is out of reach"
REPLACED = "replaced by another act"
NO_COMMANDS = "this world takes no commands in words"
FORBIDDEN = "nobody may do that in this world"
LEFT = "left the world"
NO_PATH = "found no path"
ONESELF = "the target is the agent itself"


def absent_agent(name: str | None) -> str:
    """Return the reason for refusing an act towards an absent agent. `name` is None if that agent was never in the
    world.
    """
    return f"{name} is not in this world now" if name else "there is no such agent in this world"


def too_few(item: str, available: int) -> str:
    """Return the reason for refusing an act that needs more of an item than the agent holds."""
    return f"holds only {available} {item}" if available else f"holds no {item}"


def no_room(item: str) -> str:
    """Return the reason for refusing an act that would give an agent more of an item than it can hold."""
    return f"can hold no more {item}"
