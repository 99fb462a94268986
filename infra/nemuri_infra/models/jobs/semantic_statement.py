"""One statement in place of several that say the same (document 000 §3.5)."""

from typing import Final

from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.statement_parser import parse_statement
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.memory_jobs import GeneraliseJob
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.provider_calls import sendable, storable

TOKENS: Final = 400
LONGER: Final = 2
"""Maximum length of a statement, as a multiple of the longest given one."""


def request(job: GeneraliseJob) -> ChatRequest:
    """Return the request for a job."""
    return prompt("semantic_statement").request(TOKENS, {"statements": list(job.statements)}, steady=True)


def read(reply: ChatReply, job: GeneraliseJob) -> str | None:
    """Return the statement in a reply; None if it cannot be what the given statements say.

    It must not be much longer than they are, and must have the same numbers, dates and negation as each of them.
    """
    found = normalised(storable(sendable(reply.text.strip().strip('"“”「」'))))
    texts = [each.text for each in job.statements]
    if not found or len(found) > LONGER * max(map(len, texts)):
        return None
    said = parse_statement(found)
    agree = all(
        sorted(said.values) == sorted(known.values) and said.denied == known.denied
        for known in map(parse_statement, texts)
    )
    return found if agree else None
