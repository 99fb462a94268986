"""A language model on the loopback that learns, reads and judges for evaluations, by the words of its prompts.

It speaks OpenAI's wire format. It notes each turn as a fact, answers with the passages that contain one of its words,
and judges that a criterion is met if the answer contains the criterion's last word.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from tests.integration.providers.loopback import Loopback
from tests.integration.providers.provider import ScriptedReply, openai_reply, read_request

JOBS: Final = {
    "You keep the memory": "learner",
    "You compare statements": "learner",
    "You answer a question": "reader",
    "You judge an answer": "judge",
}
"""Roles by the beginnings of their prompts."""
_FENCED: Final = re.compile(r"<(?P<label>\w+) (?P<mark>[0-9a-f]+)>\n(?P<text>.*?)\n</(?P=label) (?P=mark)>", re.DOTALL)
_TURN: Final = re.compile(r"^\[(\d+)\](?: \([^)]*\))? (.+)$", re.MULTILINE)


class Examiner(Loopback):
    """The server of the model. It counts its calls by role, and refuses all after `calls_until_down`."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__("http://127.0.0.1:{port}/v1")
        self._words = words
        self.calls: Counter[str] = Counter()
        self.calls_until_down: int | None = None

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            request = await read_request(reader)
            if self.calls_until_down is not None and self.calls.total() >= self.calls_until_down:
                writer.write(ScriptedReply({"error": {"message": "down"}}, status=503).encoded())
            else:
                writer.write(ScriptedReply(openai_reply(self._reply(request.body["messages"]))).encoded())
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the client has given up
        finally:
            writer.close()

    def _reply(self, messages: Sequence[dict[str, str]]) -> str:
        system, user = messages[0]["content"], messages[1]["content"]
        role = next(role for beginning, role in JOBS.items() if system.startswith(beginning))
        self.calls[role] += 1
        parts = {found["label"]: found["text"] for found in _FENCED.finditer(user)}
        match role:
            case "learner" if "stretch" not in parts:
                return json.dumps({"pairs": []})
            case "learner":
                turns = _TURN.findall(parts["stretch"])
                facts = [{"turn": int(at), "sort": "fact", "sentence": said} for at, said in turns]
                return json.dumps({"facts": facts})
            case "reader":
                known = [
                    text
                    for text in parts.get("passages", "").split("\n\n")
                    if any(word in text for word in self._words)
                ]
                return "\n".join(known) or "This is not known."
            case _:
                criteria = [line.rstrip(".").split()[-1] for line in parts["criteria"].splitlines()]
                met = ["yes" if word in parts["answer"] else "no" for word in criteria]
                judged = [{"criterion": f"c{number}", "met": one} for number, one in enumerate(met, 1)]
                return json.dumps({"criteria": judged, "why": "by its words"})
