"""Compression of a memory by a language model, to level 2 or 3 (document 001)."""

from typing import Final

from nemuri_domain.affective.kept_code import with_code
from nemuri_domain.affective.text_compression import KEYWORDS_PER_TEXT, joined_keywords
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed
from nemuri_infra.models.memory_jobs import Compressed, CompressJob
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.provider_calls import sendable, storable
from nemuri_infra.models.sources import Source

TOKENS: Final = 1_024

SCHEMA: Final = closed("compressed_memory", trigger=TEXT, content=TEXT)


def request(job: CompressJob) -> ChatRequest:
    """Return the request for a job."""
    name = "compression_to_sentences" if job.level == 2 else "compression_to_keywords"
    values: Values = {"trigger": Quote("trigger", job.trigger), "content": Source("content", job.content)}
    return prompt(name).request(TOKENS, values, steady=True, schema=SCHEMA)


def read(reply: ChatReply, job: CompressJob) -> Compressed | None:
    """Return the compressed memory in a reply.

    Returns None if there is none, if one of its texts is missing, or if one is longer than before. The reply must
    contain a JSON object, which may be fenced, surrounded by prose or nested. Keywords may be a list. Commands and
    short blocks of code follow as they were.
    """
    for said in reply.objects():
        if not {"trigger", "content"} <= said.keys():
            continue
        trigger, content = (_text_of(said[name], job.level) for name in ("trigger", "content"))
        fits = len(trigger) <= len(job.trigger) and len(content) <= len(job.content)
        if fits and bool(trigger) == bool(job.trigger.strip()) and (content or not job.content.strip()):
            return Compressed(trigger, with_code(job.level, job.content, content))
    return None


def _text_of(value: object, level: int) -> str:
    if isinstance(value, list):
        value = ", ".join(each for each in value if isinstance(each, str))
    text = normalised(storable(sendable(value))) if isinstance(value, str) else ""
    if level == 2:
        return text
    words = (word.strip() for word in text.replace("、", ",").replace("，", ",").split(","))
    return joined_keywords(list(dict.fromkeys(word for word in words if word))[:KEYWORDS_PER_TEXT])
