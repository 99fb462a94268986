"""The language models of a run, by their roles, and the record of their replies, so that no reply is paid for twice."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict

from nemuri.evaluation.line_file import LineFile
from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest, Reply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.fallback import FallbackChat
from nemuri_infra.models.measured_chat import MeasuredChat
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.observability.metrics import Metrics

Role = Literal["learner", "reader", "judge"]
ROLES: Final[tuple[Role, ...]] = ("learner", "reader", "judge")


class UnknownModelError(Exception):
    """No provider has a model of this name. The message says how models are named."""


class RecordedReply(BaseModel):
    """A reply of a model, as a line of the record."""

    model_config = ConfigDict(frozen=True)

    key: str
    """Digest of the model's name and the request."""
    text: str
    structured: dict[str, object] | None
    truncated: bool
    usage: Usage

    @classmethod
    def of(cls, key: str, reply: Reply[ChatReply]) -> Self:
        """Return the record of a reply."""
        value, structured = reply.value, reply.value.structured
        return cls(
            key=key,
            text=value.text,
            structured=None if structured is None else dict(structured),
            truncated=value.truncated,
            usage=reply.usage,
        )


@dataclass(slots=True)
class ReplyRecord:
    """The replies of all models of a run, in a file. What has been answered is not asked again."""

    file: LineFile
    known: dict[str, RecordedReply] = field(default_factory=dict)
    asking: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    """Locks by key, so that equal requests at the same time are one."""

    @classmethod
    def of(cls, file: LineFile) -> Self:
        """Return the record with the replies in a file."""
        replies = map(RecordedReply.model_validate_json, file.lines())
        return cls(file, {reply.key: reply for reply in replies})

    def add(self, reply: RecordedReply) -> None:
        """Record a reply."""
        self.known[reply.key] = reply
        self.file.add(reply.model_dump_json())


@dataclass(slots=True)
class RecordedChat:
    """A chat that answers from the record what it has answered before."""

    chat: Chat
    record: ReplyRecord
    usages: list[Usage] = field(default_factory=list)
    """Usage of each reply, in order."""

    @property
    def name(self) -> str:
        """Return the name of the wrapped chat."""
        return self.chat.name

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the recorded reply to the request, or that of the wrapped chat, which is recorded. No failure is."""
        schema = request.schema.text if request.schema else None
        asked = json.dumps([self.name, request.max_tokens, *request.texts, schema])
        key = sha256(asked.encode()).hexdigest()
        async with self.record.asking[key]:
            if (known := self.record.known.get(key)) is None:
                known = RecordedReply.of(key, await self.chat.complete(request))
                self.record.add(known)
        self.usages.append(known.usage)
        return Reply(ChatReply(known.text, known.structured, truncated=known.truncated), known.usage)

    async def aclose(self) -> None:
        """Close the wrapped chat."""
        await self.chat.aclose()


def named_chat(name: str, settings: ModelSettings, record: ReplyRecord) -> RecordedChat:
    """Return a chat with the model "PROVIDER:MODEL", or the model of this name of the first provider of the settings.

    Raises `UnknownModelError` if there is no such provider, or if it lacks a setting such as its key.
    """
    provider_name, _, model = name.rpartition(":")
    if provider_name not in settings.installed:
        called = [one for one in settings.chosen if one in settings.installed]
        provider_name, model = (called[0] if called else ""), name
    provider = settings.installed.get(provider_name)
    if provider is None or provider.lacks:
        missing = f"the provider {provider_name} needs {provider.lacks}" if provider else "no provider has a key"
        there = ", ".join(settings.installed)
        raise UnknownModelError(f"{name}: {missing}; name a model as PROVIDER:MODEL, where providers are {there}")
    chat = MeasuredChat(provider.chat(model, settings.timeout), Metrics(), settings.prices.get(model))
    chain = FallbackChat([chat], settings.retries, limit=settings.concurrency)
    return RecordedChat(chain, record)


@dataclass(slots=True)
class RunModels:
    """The models of a run."""

    learner: RecordedChat | None = None
    """Reads facts in the conversations and judges them against what is known; without one, turns are memories, and
    rules judge them.
    """
    reader: PromptedModel | None = None
    """Answers the questions; without one, only the retrieval is measured."""
    judge: PromptedModel | None = None
    """Judges the answers; without one, the reader does."""

    @classmethod
    def of(cls, names: Mapping[Role, str], settings: ModelSettings, record: ReplyRecord) -> Self:
        """Return the models with these names. Raises `UnknownModelError` as `named_chat` does."""
        chats = {role: named_chat(name, settings, record) for role, name in names.items()}
        learner = chats.pop("learner", None)
        return cls(learner, **{role: PromptedModel(chat) for role, chat in chats.items()})

    @property
    def of_platform(self) -> Models:
        """Return the models of the platform that is handed the conversations."""
        light = PromptedModel(self.learner) if self.learner else ExtractiveModel()
        return Models(main=ExtractiveModel(), light=light)

    async def aclose(self) -> None:
        """Close all models."""
        for model in (self.learner, self.reader, self.judge):
            if model is not None:
                await model.aclose()
