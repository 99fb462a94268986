"""Answers use the times of memories: a model that knows only its prompt tells what holds, what held until when, how
sure it is, and what is not known.
"""

import asyncio
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from nemuri.client.client import Client
from nemuri_contracts.client_events import MemoryContent
from nemuri_infra.models.factory import Models
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, running_services
from tests.integration.providers.loopback import Loopback
from tests.integration.providers.provider import ScriptedReply, openai_reply, read_request

pytestmark = pytest.mark.in_memory
_SOURCE = re.compile(r"<(?P<label>m\d+) (?P<mark>[0-9a-f]+)>\n(?P<text>.*?)\n</(?P=label) (?P=mark)>", re.DOTALL)
_TODAY = re.compile(r"^Today is \w+, (\d+ \w+ \d{4})\.$", re.MULTILINE)
_DAY = r"(\d+ \w+ \d{4})"


@dataclass(frozen=True)
class Told:
    """A memory as a prompt shows it."""

    text: str
    said: str
    until: str
    certainty: str
    outdated: bool

    @classmethod
    def read(cls, shown: str, today: str) -> "Told":
        """Read a source of a prompt."""
        lines = shown.splitlines()
        about = " ".join(line for line in lines if line.startswith(("(From:", "(Note:")))
        held = re.search(rf"(?:held|it holds(?: from [\w ]+)?) until {_DAY}", about)
        said = re.search(rf"said to be spoken (?:by \w+ )?on {_DAY}", about)
        sure = re.search(r"(?:doubtful|uncertain|probable|certain) \(\d+ %\)", about)
        until = held[1] if held and _read(held[1]) <= _read(today) else ""
        text = next(line for line in lines if not line.startswith("("))
        return cls(text, said[1] if said else "", until, sure[0] if sure else "", "(Note:" in shown or bool(until))

    @property
    def sentence(self) -> str:
        """Return the memory with what is told of it."""
        details = [self.said and f"said on {self.said}", self.until and f"until {self.until}", self.certainty]
        return f"{self.text} ({'; '.join(filter(None, details))})"


def _read(day: str) -> datetime:
    return datetime.strptime(day, "%d %B %Y").replace(tzinfo=UTC)


class TimeReader(Loopback):
    """A model that tells what its prompt says, the present first; asked for a history, in the order of time."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:{port}/v1")

    def models(self) -> Models:
        """Return the platform's two models, which both call this server."""
        model = PromptedModel(OpenAIChat(api_key="k", base_url=self.url, model="reader", timeout=60))
        return Models(model, model)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            messages = (await read_request(reader)).body["messages"]
            answer = (
                self._answer(messages[-1]["content"])
                if "The message ends with a question" in messages[0]["content"]
                else "{}"
            )
            writer.write(ScriptedReply(openai_reply(answer)).encoded())
            await writer.drain()
        finally:
            writer.close()

    @staticmethod
    def _answer(user: str) -> str:
        today = _TODAY.search(user)
        assert today is not None
        told = [Told.read(source["text"], today[1]) for source in _SOURCE.finditer(user)]
        if "before" in user or "これまで" in user:
            told.sort(key=lambda memory: _read(memory.said) if memory.said else _read(today[1]))
        else:
            told.sort(key=lambda memory: memory.outdated)
        return "\n".join(memory.sentence for memory in told) or "Nothing is known."


async def answer(client: Client, question: str) -> list[str]:
    """Return the lines of the answer to a question."""
    result = await client.ask(question, agent="python")
    assert result.answer is not None
    return result.answer.splitlines()


@pytest.mark.parametrize(
    ("older", "newer", "present", "past"),
    [
        (
            "Ann lives in Oslo.",
            "Ann moved to Bergen, she lives there now.",
            "Where does Ann live?",
            "Where did Ann live before?",
        ),
        (
            "佐藤は大阪に住んでいる。",
            "佐藤は札幌に引っ越し、今はそこに住んでいる。",
            "佐藤はどこに住んでいますか。",
            "佐藤はこれまでどこに住んでいましたか。",
        ),
    ],
    ids=("English", "Japanese"),
)
async def test_the_present_leads_and_a_history_is_told_in_order(
    settings: Settings, older: str, newer: str, present: str, past: str
) -> None:
    """Asked about the present, the answer leads with what was said last; asked for the past, it begins with the oldest.
    Both have the dates. Nothing is told of what nobody has said.
    """
    async with (
        TimeReader() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.remember("python", older, said_by="Ann", said_at=datetime(2025, 1, 10, tzinfo=UTC))
        await client.remember("python", newer, said_by="Ann", said_at=datetime(2025, 6, 4, tzinfo=UTC))
        now = await answer(client, present)
        assert now[0] == f"{newer} (said on 4 June 2025)"
        assert now[1].startswith(f"{older} (said on 10 January 2025")
        assert [line.split(" (")[0] for line in await answer(client, past)] == [older, newer]
        assert await answer(client, "zebra quagga okapi?") == ["Nothing is known."]


async def test_what_has_ended_and_what_is_uncertain_say_so(settings: Settings) -> None:
    """A memory that held until a day in the past comes after what holds, with the day. Its certainty is told."""
    ended, tomorrow = datetime(2025, 3, 1, tzinfo=UTC), datetime.now(UTC) + timedelta(days=30)
    async with (
        TimeReader() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        held = "The boiler of the north hall is looked after by"
        memories = (
            MemoryContent(content=f"{held} Ann.", until=ended),
            MemoryContent(content=f"{held} Bob.", until=tomorrow, certainty=0.4),
        )
        await client.remember_all("python", memories)
        lines = await answer(client, "Who looks after the boiler of the north hall?")
        told = [line for line in lines if "boiler" in line]
        assert "by Bob" in told[0]
        assert "uncertain (40 %)" in told[0]
        assert "until 1 March 2025" not in told[0]
        assert all("until 1 March 2025" in line for line in told[1:])


async def test_a_plan_does_not_come_before_what_is(settings: Settings) -> None:
    """A plan that was told last succeeds nothing: asked about the present, the answer leads with what is. A plan is
    marked as one.
    """
    told = (
        MemoryContent(content="Ann lives in Oslo.", said_at=datetime(2025, 1, 10, tzinfo=UTC)),
        MemoryContent(content="Ann plans to live in Bergen.", kind="plan", said_at=datetime(2025, 6, 4, tzinfo=UTC)),
    )
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.remember_all("python", told)
        lines = await answer(client, "Where does Ann live?")
        assert lines[1] == "- Ann lives in Oslo. [m1]"
        assert all("(planned) " in line for line in lines[2:])
        assert (await answer(client, "Where does Ann plan to live?"))[1].startswith("- (planned) Ann plans to live")
