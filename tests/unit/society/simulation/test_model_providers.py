"""Tests of the models of a society's agents."""

from dataclasses import dataclass, field

from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.modules.talking import TASK
from nemuri_society.simulation.model_providers import ChatModel


@dataclass
class RecordingChat:
    """A chat that keeps its requests."""

    name: str = "recorder"
    asked: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Keep the request, and reply with one word."""
        self.asked.append(request)
        return Reply(ChatReply("Hello."), Usage(model=self.name))

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_a_request_of_an_agent_names_its_task() -> None:
    """The request of an agent's module names the file of its task with the version, as those of jobs do."""
    chat = RecordingChat()

    reply = await ChatModel(chat).answer(Prompt("You are Ada.", "You are to say: hello", task=TASK.label))
    await ChatModel(chat).answer(Prompt("You are Ada.", "Anything."))

    assert reply.value == "Hello."
    assert [each.prompts for each in chat.asked] == [("society_speech@2",), ()]
