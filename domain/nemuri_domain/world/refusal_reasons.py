"""Why an act was refused, where several kinds of acts are refused alike."""

DONE = ""
"""No reason: it is done."""
NO_PLACE = "there is no such place in this world"
TOO_FAR = "that is out of reach"
REPLACED = "another act came in its place"
DIED = "died"
WOKEN = "woken by a blow"
LEFT = "left the world"
NO_WAY = "found no way there"
YOURSELF = "that is oneself"


def nobody(name: str | None) -> str:
    """Say that the agent is not in the world; the name is None for one that never was."""
    return f"{name} is not in this world now" if name else "there is nobody of that name in this world"


def too_few(item: str, held: int) -> str:
    """It does not hold that many."""
    return f"holds only {held} {item}" if held else f"holds no {item}"


def no_room(item: str) -> str:
    """It cannot hold that many more."""
    return f"can hold no more {item}"
