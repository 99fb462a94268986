"""What an agent remembers that a stretch of a conversation may repeat."""

from collections.abc import Sequence

from nemuri_contracts.client_events import Setting
from nemuri_contracts.conversations import ConversationTurn, TurnsSaid
from nemuri_domain.conversations.second_hand import is_known_request, listed_sentences, own_words, without_listed
from nemuri_domain.language.sentences import sentences
from nemuri_domain.strength.aggregate import Agent
from nemuri_infra.retrieval.strength_recall import memories_saying, recall_memories
from nemuri_infra.runtime.resources import Resources

NEAR = 12
"""Number of memories that are looked at for what the user says."""
NEAR_SENTENCE, LEAST_WORDS = 3, 0.3
"""Maximum number of memories for each sentence that may come from memory, and the least share of its words that they
have.
"""
QUERY_CHARACTERS = 2_000
"""Maximum length of a text by which memories are searched for."""


async def remembered_texts(event: TurnsSaid, agent: Agent, resources: Resources) -> tuple[str, ...]:
    """Return the texts of the memories that are nearest to what the user says, and of those that have the words of
    something that the assistant says or that a list of the user contains.
    """
    said = "\n".join(turn.text for turn in event.turns if turn.role == "user").strip()
    near = await _near(said[:QUERY_CHARACTERS], event.person, agent, resources) if said else []
    repeatable = [sentence for turn in event.turns for sentence in _repeatable(turn)]
    repeated = await memories_saying(
        resources, agent, repeatable, person=event.person, least=LEAST_WORDS, limit=NEAR_SENTENCE
    )
    return tuple(dict.fromkeys((*near, *(content.memory.content for content, _ in repeated))))


def _repeatable(turn: ConversationTurn) -> list[str]:
    """Return the sentences of a turn that may come from memory."""
    return listed_sentences(turn.text) if turn.role == "user" else sentences(turn.text)


async def _near(text: str, person: str | None, agent: Agent, resources: Resources) -> list[str]:
    recalled = await recall_memories(resources, agent, text, perspective=None, setting=Setting(person=person))
    ids = [candidate.memory_id for candidate in recalled.candidates[:NEAR]]
    known = await resources.views.memories_by_id(ids)
    return [known[memory_id][0].memory.content for memory_id in ids if memory_id in known]


def with_news(turns: Sequence[ConversationTurn], remembered: Sequence[str]) -> tuple[ConversationTurn, ...]:
    """Return the turns without what the assistant only says from memory, what the user's lists repeat from memory, and
    what the user asks again. A turn with nothing else is left out.
    """
    found = list[ConversationTurn]()
    for turn in turns:
        if turn.role == "user":
            stated = without_listed(turn.text, remembered)
            words = "" if is_known_request(stated, remembered) else stated
        else:
            words = own_words(turn.text, remembered)
        if words.strip():
            found.append(turn if words == turn.text else turn.model_copy(update={"text": words}))
    return tuple(found)
