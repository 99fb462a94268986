"""One statement in place of several that say the same (document 000 §3.5)."""

from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.statement_parser import parse_statement
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.provider_calls import sendable, storable
from nemuri_infra.models.sources import Source

TOKENS: Final = 400
LONGER: Final = 2
"""Maximum length of a statement, as a multiple of the longest given one."""


@dataclass(frozen=True, slots=True)
class GeneraliseJob(Job[str]):
    """The job of writing the one statement that statements from several occasions all make, with nothing added."""

    statements: tuple[Source, ...]
    """The statements, most typical first; at least two."""

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        return prompt("semantic_statement").request(TOKENS, {"statements": list(self.statements)}, steady=True)

    def read(self, reply: ChatReply) -> str:
        """Return the statement in a reply if it can be what the given statements say.

        It must not be much longer than they are, and must have the same numbers, dates and negation as each of them.
        """
        found = normalised(storable(sendable(reply.text.strip().strip('"“”「」'))))
        texts = [statement.text for statement in self.statements]
        if not found or len(found) > LONGER * max(map(len, texts)):
            raise UnreadableReplyError("no statement of a fitting length")
        said = parse_statement(found)
        agree = all(
            sorted(said.values) == sorted(known.values) and said.denied == known.denied
            for known in map(parse_statement, texts)
        )
        if not agree:
            raise UnreadableReplyError("no statement that agrees with the given ones")
        return found

    def without_model(self) -> str:
        """Return the most typical of the statements, in its own words."""
        return self.statements[0].text
