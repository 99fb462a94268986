"""Compression of a memory by a language model, to level 2 or 3 (document 001)."""

from dataclasses import dataclass
from typing import Final, Literal

from nemuri_domain.affective.kept_code import with_code
from nemuri_domain.affective.text_compression import KEYWORDS_PER_TEXT, compressed, joined_keywords
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.provider_calls import sendable, storable
from nemuri_infra.models.sources import Source

TOKENS: Final = 1_024

SCHEMA: Final = closed("compressed_memory", trigger=TEXT, content=TEXT)


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed memory. Neither text is longer than before the compression."""

    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class CompressJob(Job[Compressed]):
    """The job of compressing the text of a memory to a level."""

    level: Literal[2, 3]
    """Level to which the text is compressed: 2 for sentences, 3 for keywords."""
    trigger: str
    content: str

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        name = "compression_to_sentences" if self.level == 2 else "compression_to_keywords"
        values: Values = {"trigger": FencedText("trigger", self.trigger), "content": Source("content", self.content)}
        return prompt(name).request(TOKENS, values, steady=True, schema=SCHEMA)

    def read(self, reply: ChatReply) -> Compressed:
        """Return the compressed memory in a reply, if it has both texts and neither is longer than before.

        The reply must
        contain a JSON object, which may be fenced, surrounded by prose or nested. Keywords may be a list. Commands and
        short blocks of code follow as they were.
        """
        for said in reply.objects():
            if not {"trigger", "content"} <= said.keys():
                continue
            trigger, content = (_text_of(said[name], self.level) for name in ("trigger", "content"))
            fits = len(trigger) <= len(self.trigger) and len(content) <= len(self.content)
            if fits and bool(trigger) == bool(self.trigger.strip()) and (content or not self.content.strip()):
                return Compressed(trigger, with_code(self.level, self.content, content))
        raise UnreadableReplyError("no compressed memory that is shorter")

    def without_model(self) -> Compressed:
        """Return the memory's most informative sentences (level 2) or its keywords (level 3)."""
        return Compressed(*compressed(self.level, self.trigger, self.content))


def _text_of(value: object, level: int) -> str:
    if isinstance(value, list):
        value = ", ".join(word for word in value if isinstance(word, str))
    text = normalised(storable(sendable(value))) if isinstance(value, str) else ""
    if level == 2:
        return text
    words = (word.strip() for word in text.replace("、", ",").replace("，", ",").split(","))
    return joined_keywords(list(dict.fromkeys(word for word in words if word))[:KEYWORDS_PER_TEXT])
