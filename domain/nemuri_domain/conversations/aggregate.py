"""The state of a conversation, folded from its history in the log."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from uuid import UUID

from nemuri_contracts.conversations import ConversationTurn, FactsLearned, TurnsSaid
from nemuri_contracts.strength import NewMemory

SHOWN_TURNS = 8
"""Number of turns before a stretch that are read with it, so that pronouns and answers are understood."""
SHOWN_FACTS = 24
"""Number of facts of the same conversation that are known when its next stretch is read."""
REMEMBERED_DIGESTS = 512
"""Number of newest turns by which repeated ones are recognised, if not the whole conversation is sent again."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is known of a conversation after some of its events."""

    count: int = 0
    """Number of its turns. The next one has this position."""
    chain: str = ""
    """Digest of all turns in order; "" without any."""
    digests: tuple[str, ...] = ()
    """Digests of its newest turns, oldest first, at most `REMEMBERED_DIGESTS`."""
    turns: tuple[ConversationTurn, ...] = ()
    """Its newest turns, oldest first, at most `SHOWN_TURNS`."""
    facts: tuple[NewMemory, ...] = ()
    """The newest facts in it, at most `SHOWN_FACTS`."""
    unread: frozenset[UUID] = frozenset()
    """Ids of the events whose turns are not read yet."""


def digest_of(turn: ConversationTurn) -> str:
    """Return a digest of what was said, by whom and when. The position does not count."""
    said = (turn.role, turn.speaker or "", turn.at.isoformat() if turn.at else "", turn.text.strip())
    return sha256("\0".join(said).encode()).hexdigest()[:16]


def chained(chain: str, digests: Sequence[str]) -> str:
    """Return the digest of a conversation that goes on with further turns. `chain` is its digest before them."""
    for digest in digests:
        chain = sha256(f"{chain}{digest}".encode()).hexdigest()[:32]
    return chain


def fresh_turns(turns: Sequence[ConversationTurn], known: Conversation) -> list[ConversationTurn]:
    """Return the turns that the conversation does not have yet, at the positions that follow.

    `turns` are the whole conversation, or a window of it that overlaps with what is known, or only what is new. The
    longest overlap counts.
    """
    digests = [digest_of(turn) for turn in turns]
    overlap = known.count if _is_whole(digests, known) else _overlap(digests, known.digests)
    return numbered(turns[overlap:], known.count)


def numbered(turns: Sequence[ConversationTurn], first: int) -> list[ConversationTurn]:
    """Return the turns at the positions from `first` on."""
    return [turn.model_copy(update={"position": position}) for position, turn in enumerate(turns, first)]


def _is_whole(digests: Sequence[str], known: Conversation) -> bool:
    return 0 < known.count <= len(digests) and chained("", digests[: known.count]) == known.chain


def _overlap(digests: Sequence[str], tail: Sequence[str]) -> int:
    """Return the number of first turns with which the known conversation ends."""
    for length in range(min(len(digests), len(tail)), 0, -1):
        if list(tail[-length:]) == list(digests[:length]):
            return length
    return 0


def evolve(known: Conversation, event: TurnsSaid | FactsLearned) -> Conversation:
    """Return the conversation after an event."""
    match event:
        case TurnsSaid(turns=turns):
            said = [digest_of(turn) for turn in turns]
            return replace(
                known,
                count=known.count + len(turns),
                chain=chained(known.chain, said),
                digests=(*known.digests, *said)[-REMEMBERED_DIGESTS:],
                turns=(*known.turns, *turns)[-SHOWN_TURNS:],
                unread=known.unread | {event.event_id},
            )
        case FactsLearned():
            return replace(
                known, facts=(*known.facts, *event.facts)[-SHOWN_FACTS:], unread=known.unread - {event.causation_id}
            )
