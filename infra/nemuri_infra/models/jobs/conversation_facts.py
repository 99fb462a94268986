"""Facts in a stretch of a conversation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, get_args

from nemuri_contracts.client_events import MemoryKind
from nemuri_contracts.conversations import ConversationTurn
from nemuri_contracts.wire_constants import LABEL_LIMIT
from nemuri_domain.conversations.fact_times import zone_of
from nemuri_domain.conversations.said_dates import said_date
from nemuri_domain.language.boilerplate import boilerplate_reason
from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.request_sentences import is_request
from nemuri_domain.language.sentences import normalised, sentences
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import INTEGER, TEXT, closed, listed, one_of, record
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.provider_calls import sendable, storable

TOKENS: Final = 3_000
MOST_FACTS: Final = 40
"""Maximum number of facts of a stretch that are kept from a reply."""
_SENTENCE: Final = 600
"""Maximum length of a fact in characters."""
_TURN: Final = 4_000
"""Maximum number of characters of a turn in the prompt. The middle of a longer one is left out."""
_CERTAINTIES: Final = {"certain": 1.0, "likely": 0.7, "unsure": 0.4}
_MOST_DAYS: Final = 366
"""Number of days from which a fact counts as one that lasts."""
SCHEMA: Final = closed(
    "conversation_facts",
    facts=listed(
        record(
            turn=INTEGER,
            sort=one_of(*get_args(MemoryKind)),
            about=TEXT,
            sentence=TEXT,
            **{"from": TEXT, "until": TEXT, "days": INTEGER, "sure": one_of(*_CERTAINTIES)},
        )
    ),
)


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact that was said in a turn."""

    text: str
    position: int
    """Position of the turn."""
    kind: MemoryKind | None = None
    """What it is about; None if nobody has judged it."""
    subject: str | None = None
    """Name of the person or thing that it is about."""
    begins: str = ""
    """Date from which it holds or at which it happened (`fact_times.span_of`); "" if nobody said when."""
    ends: str = ""
    """Last date on which it holds; "" if nobody said when."""
    days: int = 0
    """Number of days after which it is of no use any more; 0 for what lasts."""
    certainty: float | None = None
    """How sure the speaker is, 0 to 1."""


@dataclass(frozen=True, slots=True)
class FactsJob(Job[tuple[FoundFact, ...]]):
    """The job of noting the facts in a stretch of a conversation."""

    turns: tuple[ConversationTurn, ...]
    """The stretch, in order."""
    before: tuple[ConversationTurn, ...] = ()
    """The turns before it."""
    known: tuple[str, ...] = ()
    """What is remembered already."""
    timezone: str | None = None
    """Time zone in which the times of the turns are shown; None for the offset of each."""

    def chat_request(self) -> ChatRequest:
        """Return the request. The middle of very long turns is left out."""
        return prompt("conversation_facts").request(
            TOKENS,
            {
                "known": FencedText("remembered", "\n".join(f"- {fact}" for fact in self.known)) if self.known else "",
                "before": FencedText("before", _shown(self.before, self.timezone)) if self.before else "",
                "turns": FencedText("stretch", _shown(self.turns, self.timezone)),
            },
            schema=SCHEMA,
        )

    def read(self, reply: ChatReply) -> tuple[FoundFact, ...]:
        """Return the facts in a reply, in the order of their turns, without what is known already.

        The reply must contain a list of facts, which may be fenced, surrounded by prose, nested or cut off. A
        fact without a turn of the stretch belongs to its last turn. Empty sentences and repetitions are left out.
        """
        listed_facts = reply.listed("facts")
        if listed_facts is None:
            raise UnreadableReplyError("no list of facts")
        return tuple(sorted(self._read(listed_facts), key=lambda fact: fact.position))[:MOST_FACTS]

    def _read(self, listed_facts: Sequence[object]) -> Iterator[FoundFact]:
        positions = {turn.position for turn in self.turns}
        noted = {_folded(fact) for fact in self.known}
        for entry in listed_facts:
            said = entry if isinstance(entry, Mapping) else {"sentence": entry}
            sentence = said.get("sentence")
            text = normalised(storable(sendable(without_citations(sentence)))) if isinstance(sentence, str) else ""
            if not text or boilerplate_reason(text) is not None or _folded(text) in noted:
                continue
            noted.add(_folded(text))
            turn = said.get("turn")
            position = next((known for known in positions if known == turn), self.turns[-1].position)
            yield FoundFact(text[:_SENTENCE], position, **_about(said))

    def without_model(self) -> tuple[FoundFact, ...]:
        """Return each turn that says something in its own words: only a language model tells facts from talk. A turn
        with a single date in what it states is about that date.
        """
        return tuple(
            FoundFact(turn.text, turn.position, **_dated(turn, self.timezone))
            for turn in self.turns
            if boilerplate_reason(turn.text) is None
        )


def _about(said: Mapping[str, object]) -> dict[str, Any]:
    """Return what a reply says about a fact, as far as it can be read."""
    days = said.get("days")
    return {
        "kind": {kind: kind for kind in get_args(MemoryKind)}.get(_word(said.get("sort")).casefold()),
        "subject": storable(sendable(_word(said.get("about"))))[:LABEL_LIMIT].strip() or None,
        "begins": _word(said.get("from")),
        "ends": _word(said.get("until")),
        "days": days if type(days) is int and 0 < days < _MOST_DAYS else 0,
        "certainty": _CERTAINTIES.get(_word(said.get("sure")).casefold()),
    }


def _dated(turn: ConversationTurn, timezone: str | None) -> dict[str, Any]:
    """Return the date in what a turn states, and whether it happened then or is to come."""
    if turn.at is None:
        return {}
    today = turn.at.astimezone(zone_of(turn.at, timezone)).date()
    stated = (sentence for sentence in sentences(turn.text) if not is_request(sentence))
    dates = {found for sentence in stated if (found := said_date(sentence, today)) is not None}
    if len(dates) != 1:
        return {}
    [found] = dates
    return {
        "begins": found.first.isoformat(),
        "kind": None if found.lasting else "plan" if found.first > today else "event",
    }


def _word(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".。!！")


def _shown(turns: Sequence[ConversationTurn], timezone: str | None) -> str:
    """Return turns for a prompt, one after the other: number, time in the zone, speaker and words."""
    return "\n".join(
        f"[{turn.position}]{_when(turn.at, timezone)} {turn.speaker or turn.role}: {_abridged(turn.text)}"
        for turn in turns
    )


def _when(at: datetime | None, timezone: str | None) -> str:
    if at is None:
        return ""
    here = at.astimezone(zone_of(at, timezone))
    return f" ({here:%A} {here.day} {here:%B %Y, %H:%M})"


def _abridged(text: str) -> str:
    half = _TURN // 2
    return text if len(text) <= _TURN else f"{text[:half]}\n[…]\n{text[-half:]}"
