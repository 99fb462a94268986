"""A language model on the loopback that reads: it speaks OpenAI's wire format and knows only what its prompt says.

Facts are sentences that contain a word such as "FACT-7". The model notes them, and answers with those that it sees.
"""

import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from nemuri_infra.models.factory import Models
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.prompted import PromptedModel
from tests.integration.providers.loopback import Loopback
from tests.integration.providers.provider import ReceivedRequest, ScriptedReply, openai_reply, read_request

_SOURCE = re.compile(r"<(?P<label>[pdms]\d+) (?P<mark>[0-9a-f]+)>\n(?P<text>.*?)\n</(?P=label) (?P=mark)>", re.DOTALL)
_FACT = re.compile(r"[^.。\n]*FACT-\d+[^.。\n]*[.。]")


def facts(text: str) -> list[str]:
    """Return the facts of a text, in order."""
    return [re.sub(r"^[-\s]*", "", each) for each in _FACT.findall(text)]


def numbers(text: str) -> frozenset[int]:
    """Return the numbers of the facts in a text."""
    return frozenset(int(number) for number in re.findall(r"FACT-(\d+)", text))


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the model."""

    job: str
    facts: frozenset[int]
    """Numbers of the facts in its prompt."""
    at: datetime


def _seen(user: str) -> Iterator[tuple[str, str]]:
    """Yield each fact in a prompt with the label of its source."""
    for source in _SOURCE.finditer(user):
        for fact in facts(source["text"]):
            yield fact, source["label"]


class ReadingModel(Loopback):
    """The server of the model. It counts its calls by the job that the prompt describes."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:{port}/v1")
        self.calls: Counter[str] = Counter()
        self.prompts: dict[str, list[tuple[str, str]]] = {}
        """System and user message of each call, by job."""
        self.block: str | None = None
        """The job whose calls wait for `released`."""
        self.released = asyncio.Event()
        self.seconds = 0.0
        """Seconds that each call takes."""
        self.made: list[Call] = []
        """All calls, in order."""
        self._first: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def models(self) -> Models:
        """Return the platform's two models, which both call this server."""
        model = PromptedModel(OpenAIChat(api_key="k", base_url=self.url, model="reader", timeout=60))
        return Models(model, model)

    async def called(self, job: str) -> None:
        """Wait for the first call of a job."""
        await self._first[job].wait()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one request."""
        try:
            reply = await self._reply(await read_request(reader))
            writer.write(ScriptedReply(openai_reply(reply)).encoded())
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _reply(self, request: ReceivedRequest) -> str:
        system, user = (str(each["content"]) for each in request.body["messages"])
        job = self._job(system)
        made = "condensing" if job == "notes" and "Page " not in user else job
        self.made.append(Call(made, numbers(user), datetime.now(UTC)))
        self._first[made].set()
        self.calls[job] += 1
        self.prompts.setdefault(job, []).append((system, user))
        if job == self.block:
            await self.released.wait()
        await asyncio.sleep(self.seconds)
        return self._said(job, user)

    @staticmethod
    def _job(system: str) -> str:
        for words, job in (
            ("take the notes", "notes"),
            ("about documents as a whole", "overview"),
            ("condense texts", "summary"),
            ("exactly one sentence", "key point"),
            ('"learnings"', "learnings"),
            ("really drew on", "judge"),
        ):
            if words in system:
                return job
        return "answer" if "You work as" in system else "other"

    @staticmethod
    def _said(job: str, user: str) -> str:
        seen = list(_seen(user))
        match job:
            case "notes":
                return "\n".join(f"- {fact} [{label}]" for fact, label in seen) or "-"
            case "overview" | "answer":
                return " ".join(f"{fact} [{label}]" for fact, label in seen) or "The sources hold nothing."
            case "summary":
                return " ".join(fact for fact, _ in seen) or "A text about classes."
            case "key point":
                return next((fact for fact, _ in seen), "A part about classes.")
            case "learnings":
                return json.dumps({"happened": "", "learnings": []})
            case "judge":
                return json.dumps({"used": []})
            case _:
                return "{}"
