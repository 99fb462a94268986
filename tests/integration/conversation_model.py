"""A language model on the loopback that takes notes of conversations: it speaks OpenAI's wire format and knows only
what its prompt says.

It notes what people say of themselves in the first person, with their names, and takes all statements to be unrelated.
It counts its calls and tokens.
"""

import asyncio
import json
import re
from dataclasses import dataclass

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_infra.models.factory import Models
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.prompted import PromptedModel
from tests.integration.providers.loopback import Loopback
from tests.integration.providers.provider import ScriptedReply, openai_reply, read_request

_STRETCH = re.compile(r"<stretch (?P<mark>[0-9a-f]+)>\n(?P<turns>.*?)\n</stretch (?P=mark)>", re.DOTALL)
_TURN = re.compile(r"^\[(?P<position>\d+)\](?: \([^)]*\))? (?P<speaker>[^:\n]+): (?P<text>.*)$", re.MULTILINE)
_STATEMENT = re.compile(r"(?:^|(?<=[.!?] ))I (?P<rest>[^.!?]+\.)")


@dataclass(slots=True)
class Spent:
    """What calls of the model cost."""

    reading: int = 0
    """Number of calls that read a stretch."""
    other: int = 0
    """Number of all other calls."""
    input_tokens: int = 0
    output_tokens: int = 0


class ConversationModel(Loopback):
    """The server of the model."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:{port}/v1")
        self.spent = Spent()

    def models(self) -> Models:
        """Return the platform's two models, which both call this server."""
        model = PromptedModel(OpenAIChat(api_key="k", base_url=self.url, model="reader", timeout=60))
        return Models(model, model)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one request."""
        try:
            body = (await read_request(reader)).body
            system, user = (str(message["content"]) for message in body["messages"])
            said = self._said(user)
            used = {"prompt_tokens": estimate_tokens(system) + estimate_tokens(user)}
            used["completion_tokens"] = estimate_tokens(said)
            self.spent.input_tokens += used["prompt_tokens"]
            self.spent.output_tokens += used["completion_tokens"]
            usage = used | {"total_tokens": sum(used.values())}
            writer.write(ScriptedReply(openai_reply(said, usage=usage)).encoded())
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    def _said(self, user: str) -> str:
        stretch = _STRETCH.search(user)
        if stretch is None:
            self.spent.other += 1
            return json.dumps({"pairs": []})
        self.spent.reading += 1
        facts = [
            {"turn": int(turn["position"]), "sort": "fact", "sentence": f"{turn['speaker']} {statement['rest']}"}
            for turn in _TURN.finditer(stretch["turns"])
            if turn["speaker"] != "assistant"
            for statement in _STATEMENT.finditer(turn["text"])
        ]
        return json.dumps({"facts": facts})
