"""A generator of English sentences as memories, and of questions about them. Every run generates the same texts."""

import random
from collections.abc import Iterator

PLACES = ("Bergen", "Cadiz", "Delft", "Ghent", "Lucca", "Malmo", "Narva", "Oporto", "Riga", "Siena", "Tartu", "Turku")
MAKERS = ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Juniper", "Larch", "Maple", "Olive", "Pine", "Rowan", "Willow")
THINGS = (
    *("boiler", "bridge", "cable", "crane", "dynamo", "engine", "filter", "furnace", "gauge", "kiln", "lathe", "lock"),
    *(
        "mill",
        "pump",
        "rail",
        "reactor",
        "sensor",
        "sluice",
        "tower",
        "tunnel",
        "turbine",
        "valve",
        "warehouse",
        "winch",
    ),
)
FAULTS = (
    "leaks oil when the pressure drops",
    "stops at night for no reason",
    "needs a new bearing every spring",
    "was repaired with parts of another maker",
    "measures two degrees too much",
    "may be used by trained people only",
    "costs more to keep than to replace",
    "runs on current from the river plant",
    "is closed while the tide is high",
    "has been inspected twice and found sound",
    "shakes as soon as the load is uneven",
    "must never be started cold",
)
ADVICE = (
    "Ask the foreman before you order",
    "The spare key hangs behind the office door",
    "The contract ends in {month}",
    "Write every reading into the green book",
    "The insurer pays only after an inspection in {month}",
    "Two people have to be there",
    "It is cheaper to wait until {month}",
    "Nobody at the town hall knows about it yet",
)
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")


def memories(number: int) -> Iterator[str]:
    """Yield `number` distinct memories of a hundred to two hundred characters."""
    chance = random.Random(7)
    for each in range(number):
        advice = chance.choice(ADVICE).format(month=chance.choice(MONTHS))
        yield f"{_thing(chance)} {chance.choice(FAULTS)}. {advice}, says note {each} of {chance.choice(MONTHS)}."


def questions(number: int) -> Iterator[str]:
    """Yield `number` questions, each about a thing and a fault that occur in memories."""
    chance = random.Random(11)
    for _ in range(number):
        fault = " ".join(chance.choice(FAULTS).split()[:3])
        yield f"{_thing(chance)}: is it known that it {fault}, and what is to be done in {chance.choice(MONTHS)}?"


def _thing(chance: random.Random) -> str:
    return f"The {chance.choice(THINGS)} of {chance.choice(MAKERS)} in {chance.choice(PLACES)}"
