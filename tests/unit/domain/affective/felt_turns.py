"""Turns to a coding assistant and of chat, labelled by hand by the valence and clearness of the user's feeling. Half of
them are for the tuning of the lexicon, the others measure it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from nemuri_contracts.affective import Valence
from tests.unit.domain.affective.felt_turns_english import ENGLISH
from tests.unit.domain.affective.felt_turns_english_further import ENGLISH_FURTHER
from tests.unit.domain.affective.felt_turns_japanese import JAPANESE
from tests.unit.domain.affective.felt_turns_japanese_further import JAPANESE_FURTHER

Language = Literal["english", "japanese"]


@dataclass(frozen=True, slots=True)
class FeltTurn:
    """A prompt with its label."""

    prompt: str
    kind: str
    language: Language
    valence: Valence
    clear: bool
    """True if a reader would call the feeling clear or strong. A turn without a feeling is neutral and not clear."""


_VALENCES: Final[dict[str, Valence]] = {"+": "positive", "-": "negative", "0": "neutral"}


def _turns(texts: str, language: Language) -> Iterable[FeltTurn]:
    """Yield the turns of a text with a line "# kind label" before the prompts of a kind, one on each line.

    A label is the sign of the valence, followed by "!" if the feeling is clear.
    """
    kind, label = "", ""
    for line in filter(None, map(str.strip, texts.splitlines())):
        if line.startswith("# "):
            kind, label = line.removeprefix("# ").split()
        else:
            yield FeltTurn(line, kind, language, _VALENCES[label[0]], label.endswith("!"))


FELT_TURNS: Final = (*_turns(ENGLISH, "english"), *_turns(JAPANESE, "japanese"))


def _every_second(first: int) -> tuple[FeltTurn, ...]:
    """Return every second turn of each kind and language, from the given one."""
    kinds = groupby(FELT_TURNS, key=lambda turn: (turn.language, turn.kind, turn.valence, turn.clear))
    return tuple(turn for _, same in kinds for turn in tuple(same)[first::2])


TUNING: Final = _every_second(0)
FURTHER: Final = (*_turns(ENGLISH_FURTHER, "english"), *_turns(JAPANESE_FURTHER, "japanese"))
"""Turns that were labelled in five parts while the lexicon grew, each measured before the lexicon was tuned to it.

Of the clear feelings in the last part the lexicon found .71 in each language then, and .58 before it was extended.
"""
HOLDOUT: Final = _every_second(1)
"""Turns by whose reading no word was added. The author of the lexicon wrote them, so they flatter it."""
