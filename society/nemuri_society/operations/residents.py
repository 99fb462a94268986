"""The people with which a society begins: those that are named, and generated ones.

Names and traits of generated people are data: `data/people.json`.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import count, islice, product
from random import Random
from typing import Any, Final

from nemuri_society.contracts.residents import Person, Resident

AGENTS_PER_TOWN: Final = 25
"""Default number of agents in a town."""
MAX_TOWNS: Final = 64
GENERATED_TRAITS: Final = 2
"""Number of traits of a generated person."""


def generate_residents(
    society: str, number: int, seed: int, towns: int | None = None, named: Sequence[Person] = ()
) -> tuple[Resident, ...]:
    """Return the people in `named`, followed by `number` generated ones with names and traits, spread over towns.

    Equal arguments give equal residents. Ids begin with the name of the society, so agents of different societies never
    share a memory. By default there is a town for every 25 generated agents, at most 64. No generated name is that of a
    named person.
    """
    data, rng = _people(), Random(seed)
    total = min(MAX_TOWNS, -(-number // AGENTS_PER_TOWN)) if towns is None else towns
    taken = {person.name.casefold() for person in named}
    names = (name for name in _generate_names(data) if name.casefold() not in taken)
    generated = [
        Person(
            name=name,
            town=f"town-{nth % total + 1}" if total else None,
            traits=tuple(sorted(rng.sample(data["traits"], GENERATED_TRAITS))),
        )
        for nth, name in enumerate(islice(names, number))
    ]
    return tuple(
        Resident(id=f"{society}-{nth:04}", **{name: getattr(person, name) for name in Person.model_fields})
        for nth, person in enumerate([*named, *generated])
    )


@cache
def _people() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files(__package__).joinpath("data/people.json").read_text(encoding="utf-8"))
    return data


def _generate_names(data: dict[str, Any]) -> Iterator[str]:
    """Yield an infinite sequence of different names. Each is one word, so no name occurs as a word in another one.

    After the names of the data follow these names with endings of ever more syllables.
    """
    names, endings_of = data["names"], data["name_endings"]
    syllables = [f"{first}{last}" for last in endings_of["last"] for first in endings_of["first"]]
    for length in count():
        endings = ["".join(part) for part in product(syllables, repeat=length)]
        for turn in range(len(endings)):
            yield from (f"{name}{endings[(turn + nth) % len(endings)]}" for nth, name in enumerate(names))
