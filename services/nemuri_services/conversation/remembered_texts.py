"""What an agent remembers that a stretch of a conversation may repeat."""

from collections.abc import Sequence

from nemuri_contracts.client_events import Setting
from nemuri_contracts.conversations import ConversationTurn, TurnsSaid
from nemuri_domain.conversations.second_hand import is_known_request, own_words
from nemuri_domain.strength.aggregate import Agent
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.runtime.resources import Resources

NEAR = 12
"""Number of memories that are looked at for each text."""
QUERY_CHARACTERS = 2_000
"""Maximum length of a text by which memories are searched for."""


async def remembered_texts(event: TurnsSaid, agent: Agent, resources: Resources) -> tuple[str, ...]:
    """Return the texts of the memories that are nearest to what the user says, and to each thing the assistant says."""
    said = "\n".join(turn.text for turn in event.turns if turn.role == "user")
    texts = [said, *(turn.text for turn in event.turns if turn.role == "assistant")]
    found: dict[str, None] = {}
    for text in texts:
        if text.strip():
            found |= dict.fromkeys(await _near(text[:QUERY_CHARACTERS], event.person, agent, resources))
    return tuple(found)


async def _near(text: str, person: str | None, agent: Agent, resources: Resources) -> list[str]:
    recalled = await recall_memories(resources, agent, text, perspective=None, setting=Setting(person=person))
    ids = [candidate.memory_id for candidate in recalled.candidates[:NEAR]]
    known = await resources.views.memories_by_id(ids)
    return [known[memory_id][0].memory.content for memory_id in ids if memory_id in known]


def with_news(turns: Sequence[ConversationTurn], remembered: Sequence[str]) -> tuple[ConversationTurn, ...]:
    """Return the turns without what the assistant only says from memory, and without what the user asks again. A turn
    with nothing else is left out.
    """
    found = list[ConversationTurn]()
    for turn in turns:
        if turn.role == "user":
            words = "" if is_known_request(turn.text, remembered) else turn.text
        else:
            words = own_words(turn.text, remembered)
        if words.strip():
            found.append(turn if words == turn.text else turn.model_copy(update={"text": words}))
    return tuple(found)
