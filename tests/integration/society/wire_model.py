"""A language model on the loopback for simulated societies: it speaks OpenAI's wire format, and knows only what its
prompts say.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Self

from nemuri_infra.models.openai import OpenAIChat
from nemuri_society.cognition.module import Prompt
from nemuri_society.simulation.model_providers import ChatModel
from tests.integration.providers.provider import Provider, ReceivedRequest, ScriptedReply, openai_reply

Answer = Callable[[str, str], str]
"""A function from a system and a user prompt to an answer."""


class TextModel(Provider):
    """A provider that answers each request from the text of its two messages."""

    def __init__(self, answer: Answer) -> None:
        """Create the provider."""
        super().__init__([ScriptedReply()])
        self._answer = answer

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        system, user = (str(message["content"]) for message in request.body["messages"])
        return ScriptedReply(openai_reply(self._answer(system, user)))


class WireModel:
    """The model for a simulation: each prompt is sent to the provider over HTTP by the platform's client."""

    def __init__(self, url: str, loop: asyncio.AbstractEventLoop) -> None:
        """Create a client of the provider at `url` that runs in this event loop, which another thread runs."""
        self._model = ChatModel(OpenAIChat(api_key="k", base_url=f"{url}/v1", model="player", timeout=60))
        self._loop = loop
        self.calls = 0
        """Number of requests so far."""

    def __call__(self, prompt: Prompt, rng: Random) -> str:  # noqa: ARG002 - the model has its own randomness
        """Return the answer to a prompt."""
        self.calls += 1
        return asyncio.run_coroutine_threadsafe(self._model.answer(prompt), self._loop).result(60).value

    @classmethod
    @contextmanager
    def serving(cls, answer: Answer) -> Iterator[Self]:
        """Serve a model that answers by this function, and yield its client."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        server = TextModel(answer)
        try:
            asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
            try:
                yield cls(server.url, loop)
            finally:
                asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result(10)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()
