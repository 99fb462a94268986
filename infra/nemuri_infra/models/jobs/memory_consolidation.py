"""Consolidation of memories by a language model.

The prompt is that of document 004 §4.6.4, with the rating of importance of §4.5.3.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

from nemuri_contracts.tiered import Kept
from nemuri_domain.language.sentences import normalised
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.memory_merging import MemoryText, extract_memory, normalised_tags
from nemuri_domain.tiered.policy import Consolidation
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import INTEGER, TEXT, closed, listed, one_of
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.provider_calls import sendable, storable
from nemuri_infra.models.sources import Source

TOKENS: Final = 1_024
SCHEMA: Final = closed(
    "consolidated_memory", summary=TEXT, type=one_of(*get_args(Kept)), tags=listed(TEXT), importance=INTEGER
)

_MAX_CHARACTERS: Final = 2_000
"""Maximum number of characters of a consolidated memory."""
_SHOWN_CHARACTERS: Final = 1_500
"""Maximum number of characters of each memory that are shown in the prompt."""
_RATINGS: Final = 10


@dataclass(frozen=True, slots=True)
class ConsolidateJob(Job[MemoryText]):
    """The job of making one memory of related memories of an agent."""

    agent: str
    memories: tuple[TierMemory, ...]
    """Memories to consolidate, oldest first; at least one."""
    rules: Consolidation

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        sources = [
            Source(f"memory {number}", memory.content[:_SHOWN_CHARACTERS], origin=_origin(memory))
            for number, memory in enumerate(self.memories, 1)
        ]
        values: Values = {"agent": normalised(self.agent), "memories": sources}
        return prompt("memory_consolidation").request(TOKENS, values, steady=True, schema=SCHEMA)

    def read(self, reply: ChatReply) -> MemoryText:
        """Return the consolidated memory in a reply that contains a summary.

        The reply must contain a JSON object, which may be fenced, surrounded by prose or nested. If the type or the
        tags are missing or invalid, those of the extractive memory are used. A missing or invalid rating is None.
        """
        for said in reply.objects():
            if summary := _text_of(said.get("summary")):
                return _written(summary, said, self.without_model())
        raise UnreadableReplyError("no summary")

    def without_model(self) -> MemoryText:
        """Return a memory made of the most informative sentences of the job's memories."""
        return extract_memory(self.memories, self.rules)


def _origin(memory: TierMemory) -> str:
    return "; ".join((memory.type, *memory.participants))


def _written(summary: str, said: Mapping[str, Any], known: MemoryText) -> MemoryText:
    word = said["type"].strip().casefold() if isinstance(said.get("type"), str) else ""
    return MemoryText(
        summary,
        cast("Kept", word) if word in get_args(Kept) else known.type,
        normalised_tags(_texts(said.get("tags"))) or known.tags,
        rating(said.get("importance")),
    )


def rating(value: object) -> float | None:
    """Return a rating of 1 to 10 as a number from 0 to 1. Texts ("7/10") and fractions below 1 are accepted too.

    Returns None for anything that is not a number. Values out of range are clamped.
    """
    if isinstance(value, str):
        value = value.strip().split("/")[0].strip()
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    if math.isnan(number):
        return None
    # The integer 1 is the lowest of ten ratings, but 1.0 is the highest fraction.
    fraction = 0 <= number < 1 or (number == 1 and isinstance(value, float))
    return min(1.0, max(0.0, number if fraction else number / _RATINGS))


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        value = value.replace("、", ",").split(",")
    every = cast("list[object]", value) if isinstance(value, list) else []
    return [storable(sendable(text)) for text in every if isinstance(text, str)]


def _text_of(value: object) -> str:
    return normalised(storable(sendable(value)))[:_MAX_CHARACTERS].strip() if isinstance(value, str) else ""
