"""Turns of `labelled_turns.jsonl`, labelled by hand: the reference for the lexicon of emotions.

- `felt`: turns to a coding assistant and of chat, with the valence and the clearness of the user's feeling. Half of
  them are for the tuning of the lexicon, the others measure it.
- `felt further`: labelled in five parts while the lexicon grew, each measured before the lexicon was tuned to it. Of
  the clear feelings in the last part the lexicon found .71 in each language then, and .58 before it was extended.
- `scales`: turns on the scales of document 001.
- `scales unseen`: labelled after the lexicon was finished. Before it was changed for them, 214 of their 230 labels
  agreed with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from nemuri_contracts.affective import Category, Tag, Valence

Language = Literal["english", "japanese"]
LOW: Final = (0, 30)
MIDDLE: Final = (31, 60)
HIGH: Final = (61, 100)
_BANDS: Final = {"low": LOW, "middle": MIDDLE, "high": HIGH}
_ROWS: Final = [
    orjson.loads(line) for line in Path(__file__).with_name("labelled_turns.jsonl").read_bytes().splitlines()
]


@dataclass(frozen=True, slots=True)
class FeltTurn:
    """A prompt with the label of its feeling."""

    prompt: str
    kind: str
    language: Language
    valence: Valence
    clear: bool
    """True if a reader would call the feeling clear or strong. A turn without a feeling is neutral and not clear."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A prompt with its labels on the scales of document 001."""

    prompt: str
    valence: Valence
    arousal: tuple[int, int]
    """The arousal band of document 001 that the prompt belongs to: its lowest and highest value."""
    tags: frozenset[Tag]
    """Tags that the reading must have. It may have others too."""
    category: Category
    intensity: tuple[int, int]
    reply: str = ""


def _rows(name: str) -> Iterable[dict[str, Any]]:
    return ({key: row[key] for key in row if key != "set"} for row in _ROWS if row["set"] == name)


def _on_scales(row: dict[str, Any]) -> Labelled:
    fields = {"arousal": _BANDS[row["arousal"]], "tags": frozenset(row["tags"]), "intensity": tuple(row["intensity"])}
    return Labelled(**row | fields)


def _every_second(first: int) -> tuple[FeltTurn, ...]:
    """Return every second turn of each kind and language, from the given one."""
    kinds = groupby(FELT_TURNS, key=lambda turn: (turn.language, turn.kind, turn.valence, turn.clear))
    return tuple(turn for _, same in kinds for turn in tuple(same)[first::2])


FELT_TURNS: Final = tuple(FeltTurn(**row) for row in _rows("felt"))
TUNING: Final = _every_second(0)
HOLDOUT: Final = _every_second(1)
"""Turns by whose reading no word was added. The author of the lexicon wrote them, so they flatter it."""
FURTHER: Final = tuple(FeltTurn(**row) for row in _rows("felt further"))
TURNS: Final = tuple(map(_on_scales, _rows("scales")))
UNSEEN: Final = tuple(map(_on_scales, _rows("scales unseen")))
