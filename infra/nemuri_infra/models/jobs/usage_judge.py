"""The usage judge, which finds the memories that an answer used: the third way of document 000 §3.5."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_domain.retrieval.passage_ranking import labels_used, passages
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed, listed
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 200
SCHEMA: Final = closed("used_memories", used=listed(TEXT))

_LISTS: Final = 20
_LIST = re.compile(r"\[[^\[\]]{0,2000}\]")
_NAMED = re.compile(r"[\s\"'`*\-•・.,;、，。()（）]*(?:[a-z][0-9]{1,4}[\s\"'`*\-•・.,;、，。()（）]*)+", re.IGNORECASE)
_LABEL = re.compile(r"[a-z][0-9]{1,4}", re.IGNORECASE)
_NONE = re.compile(r"[\s\"'`*.。]*(?:none|nothing|no memories|なし|該当なし)[\s\"'`*.。]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JudgeJob(Job[tuple[str, ...]]):
    """The job of finding the memories that an answer used, among those that were shown to the model that wrote it."""

    must_be_read = True

    question: str
    answer: str
    memories: tuple[Source, ...]

    def chat_request(self) -> ChatRequest:
        """Return the request. The answer has no citations in it, so that the judgement does not depend on them."""
        values: Values = {
            "memories": self.memories,
            "question": FencedText("question", self.question),
            "answer": Source("answer", without_citations(self.answer)),
        }
        return prompt("usage_judgement").request(TOKENS, values, schema=SCHEMA)

    def read(self, reply: ChatReply) -> tuple[str, ...]:
        """Return the labels of the job that a reply names, in the order of the job.

        The last JSON list of strings counts; it may be fenced or surrounded by prose. Without a list, only those lines
        count that contain nothing but labels or a word for "none". Labels in prose are ignored, because the text may
        say that they were not used.
        """
        lists = list(_lists(reply.text))
        if lists:
            named = lists[-1]
        else:
            lines = [line for line in reply.text.splitlines() if line.strip()]
            named = [label for line in lines if _NAMED.fullmatch(line) for label in _LABEL.findall(line)]
            if not named and not (lines and all(_NONE.fullmatch(line) for line in lines)):
                raise UnreadableReplyError("no judgement that can be parsed")
        known = {label.strip().casefold() for label in named}
        return tuple(memory.label for memory in self.memories if memory.label.casefold() in known)

    def without_model(self) -> tuple[str, ...]:
        """Return the labels of the memories that have a sentence which recurs in the answer, in the job's order.

        A sentence recurs if at least two of its terms, with at least half of the weight of all its terms, occur in the
        answer. The weight of a term is its rarity among the memories. Terms of the question do not count.
        """
        sentences = [passage for source in self.memories for passage in passages(source.label, source.text)]
        found = labels_used(sentences, asked=self.question, answer=without_citations(self.answer))
        return tuple(source.label for source in self.memories if source.label in found)


def _lists(text: str) -> Iterator[list[str]]:
    for match in list(_LIST.finditer(text))[-_LISTS:]:
        try:
            value = json.loads(match.group())
        except ValueError:
            value = [part.strip(" \"'`") for part in match.group()[1:-1].split(",")]
            value = value if all(_LABEL.fullmatch(part) for part in value) else None
        if isinstance(value, list) and all(isinstance(label, str) for label in value):
            yield value
