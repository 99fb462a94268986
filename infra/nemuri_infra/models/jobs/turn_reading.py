"""Reading of a turn's meaning and emotion by a language model.

The prompt uses the keys and scales of document 001 (the instruction for remembering a turn), in our own words.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast, get_args

from nemuri_contracts.affective import (
    Category,
    Concern,
    LinkSort,
    NegativeTag,
    OtherTag,
    PositiveTag,
    Reading,
    Tag,
    Valence,
)
from nemuri_domain.affective.remember_requests import relation_in
from nemuri_domain.affective.text_compression import shortened_lines
from nemuri_domain.affective.turn_reader import LEXICON_MODEL, read_turn
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import FLAG, INTEGER, TEXT, closed, listed, one_of, record
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.provider_calls import sendable, storable
from nemuri_infra.models.sources import Source

TOKENS: Final = 6_000

_TAGS: Final[dict[str, Tag]] = {tag: tag for group in (PositiveTag, NegativeTag, OtherTag) for tag in get_args(group)}
_TRIGGER: Final = 1_000
_CONTENT: Final = 4_000
"""Maximum number of characters of the content that is kept from a reply. The prompt asks for fewer."""
_KEYWORD: Final = 60
_MOST_KEYWORDS: Final = 8
_MOST_TAGS: Final = 8
_MOST_RELATIONS: Final = 3
_PASTED: Final = 24_000
"""Maximum number of characters of the turn's request in the prompt, and of the turn's reply.

The middle of longer texts is left out.
"""

SCHEMA: Final = closed(
    "turn_reading",
    emotional_intensity=INTEGER,
    emotional_valence=one_of(*get_args(Valence)),
    emotional_arousal=INTEGER,
    emotional_tags=listed(one_of(*_TAGS)),
    category=one_of(*get_args(Category)),
    keywords=listed(TEXT),
    trigger=TEXT,
    content=TEXT,
    protected=FLAG,
    concern=one_of(*get_args(Concern)),
    relations=listed(record(memory=TEXT, relation=one_of(*get_args(LinkSort)))),
)


@dataclass(frozen=True, slots=True)
class TurnReading:
    """The outcome of reading a turn."""

    reading: Reading
    relations: Mapping[str, LinkSort] = field(default_factory=dict)
    """The relation of the turn to each earlier memory that it has to do with, by label."""


@dataclass(frozen=True, slots=True)
class FeelJob(Job[TurnReading]):
    """The job of reading a turn of an assistant's session: meaning, emotion, and relations to earlier memories."""

    stand_in = LEXICON_MODEL

    prompt: str
    reply: str
    earlier: tuple[Source, ...] = ()
    """Earlier memories that the turn may relate to, most similar first, with labels "e1", "e2", …"""

    def chat_request(self) -> ChatRequest:
        """Return the request. The middle of very long texts is left out."""
        values: Values = {
            "tags": ", ".join(_TAGS),
            "request": FencedText("request", _shown(self.prompt)),
            "reply": Source("reply", _shown(self.reply)),
            "earlier": self.earlier,
        }
        return prompt("turn_reading").request(TOKENS, values, steady=True, schema=SCHEMA)

    def read(self, reply: ChatReply) -> TurnReading:
        """Return the reading in a reply that contains an emotional intensity.

        The reply must contain a JSON object, which may be fenced, surrounded by prose or nested. Numbers out of range
        are clamped, and unknown tags, labels and relations are dropped. Other missing or invalid fields are read by
        words.
        """
        for said in reply.objects():
            intensity = _percent(said.get("emotional_intensity"))
            if intensity is not None:
                known, relations = self.without_model(), _relations(said.get("relations"), self)
                return TurnReading(
                    _reading(said, intensity, known.reading), known.relations if relations is None else relations
                )
        raise UnreadableReplyError("no emotional intensity")

    def without_model(self) -> TurnReading:
        """Return the lexicon's reading, and the relation that the words express to the most similar earlier memory, if
        any.
        """
        sort = relation_in(self.prompt) if self.earlier else None
        return TurnReading(read_turn(self.prompt, self.reply), {self.earlier[0].label: sort} if sort else {})


def _reading(said: Mapping[str, object], intensity: int, known: Reading) -> Reading:
    arousal = _percent(said.get("emotional_arousal"))
    tags, protect = said.get("emotional_tags"), said.get("protected")
    return Reading.model_validate(
        {
            "intensity": intensity,
            "emotion": {
                "valence": _one_of(said.get("emotional_valence"), Valence) or known.emotion.valence,
                "arousal": known.emotion.arousal if arousal is None else arousal,
                "tags": known.emotion.tags if tags is None else _tags(tags),
            },
            "category": _one_of(said.get("category"), Category) or known.category,
            "keywords": _keywords(said.get("keywords")) or known.keywords,
            "trigger": _text_of(said.get("trigger"), _TRIGGER) or known.trigger,
            "content": _text_of(said.get("content"), _CONTENT) or known.content,
            "protect": protect if isinstance(protect, bool) else known.protect,
            "concern": _one_of(said.get("concern"), Concern) or known.concern,
        }
    )


def _relations(value: object, job: FeelJob) -> Mapping[str, LinkSort] | None:
    """Return the relations by label, at most `_MOST_RELATIONS`; None if the value is not a list.

    Of several relations to one memory the first counts.
    """
    if not isinstance(value, list):
        return None
    sorts: dict[str, LinkSort] = {sort: sort for sort in get_args(LinkSort)}
    found: dict[str, LinkSort] = {}
    for entry in value:
        said = entry if isinstance(entry, Mapping) else {}
        label, sort = (str(said.get(name, "")).strip("[]() ").casefold() for name in ("memory", "relation"))
        if label in {one.label for one in job.earlier} and sort in sorts and len(found) < _MOST_RELATIONS:
            found.setdefault(label, sorts[sort])
    return found


def _shown(text: str) -> str:
    if len(text) <= _PASTED:
        return text
    half = _PASTED // 2
    return f"{text[:half]}\n[…]\n{text[-half:]}"


def _percent(value: object) -> int | None:
    """Return the value as a number from 0 to 100; None if it is not a number. Texts like "45", "45/100" and "45%" are
    accepted.
    """
    if isinstance(value, str):
        value = value.strip().removesuffix("%").split("/")[0].strip()
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return None if math.isnan(number) else round(max(0.0, min(100.0, number)))


def _one_of(value: object, among: Any) -> str | None:
    word = value.strip().casefold() if isinstance(value, str) else ""
    return word if word in get_args(among) else None


def _tags(value: object) -> tuple[Tag, ...]:
    named = (name.strip().casefold() for name in _texts(value))
    return tuple(dict.fromkeys(_TAGS[name] for name in named if name in _TAGS))[:_MOST_TAGS]


def _keywords(value: object) -> tuple[str, ...]:
    words = (normalised(storable(sendable(word)))[:_KEYWORD].strip() for word in _texts(value))
    return tuple(dict.fromkeys(word for word in words if word))[:_MOST_KEYWORDS]


def _texts(value: object) -> Iterable[str]:
    """Return the texts in a list, or in one comma-separated text. Any other value gives no texts."""
    if isinstance(value, str):
        value = value.replace("、", ",").split(",")
    return [text for text in cast("list[object]", value) if isinstance(text, str)] if isinstance(value, list) else []


def _text_of(value: object, limit: int) -> str:
    """Return the text with its line breaks, cut to `limit` characters; "" if the value is not a text.

    A text that was cut ends in a mark.
    """
    return shortened_lines(storable(sendable(value)).strip(), limit) if isinstance(value, str) else ""
