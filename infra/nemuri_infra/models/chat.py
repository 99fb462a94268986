"""The interface of a language model: one request for a chat, with a schema or tools if wanted, and its reply."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from nemuri_contracts.event import Usage
from nemuri_infra.models.json_objects import cut_list, find_objects, without_texts

T_co = TypeVar("T_co", covariant=True)
OnText = Callable[[int, str], Awaitable[None]]
"""Function that gets a piece of a reply's text, and the number of characters before it. A repeated call of the model
begins at 0 again.
"""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """The result of a job or of a call, and the usage of all calls that it needed."""

    value: T_co
    usage: Usage


@dataclass(frozen=True)
class Schema:
    """A JSON schema of an object, made by `json_schema.closed`. Two schemas with the same content are equal."""

    name: str
    """Name of the schema for the provider: letters, digits and `_`."""
    text: str
    """The schema as JSON."""

    @cached_property
    def value(self) -> dict[str, Any]:
        """The schema as a JSON object."""
        value: dict[str, Any] = json.loads(self.text)
        return value


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call instead of replying with text."""

    name: str
    """Name of the tool: 1 to 64 letters, digits, `_` or `-`. It is unique within a request."""
    description: str
    """Purpose, use and result of the tool. The model reads it."""
    arguments: Schema
    """Schema of the arguments."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's call of a tool."""

    call_id: str
    """Id of the call, which the provider gave. It connects the result with the call."""
    name: str
    """Name of the tool. It is a tool of the request unless `problem` says otherwise."""
    arguments: Mapping[str, Any] = field(hash=False)
    """Arguments of the call; empty if they are no JSON object."""
    problem: str = ""
    """The fault of the call, in one line for the model: an unknown tool, or arguments that do not fit the schema.

    "" if the call can be carried out. Otherwise its result is this text, so that the model can call again.
    """


@dataclass(frozen=True, slots=True)
class ToolTurn:
    """An earlier call of a tool, and its result."""

    call: ToolCall
    result: str
    """Text of the result, which may be untrusted. Fence what others wrote (`prompt_fences.fenced`)."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a language model. Equal requests may get the same reply.

    What is stable from call to call belongs in `system`, which providers cache; what differs belongs in `user`, the
    question last.
    """

    system: str
    user: str
    max_tokens: int
    """Maximum number of tokens of the reply's text."""
    steady: bool = False
    """True to ask for temperature 0, unless the model refuses a temperature."""
    schema: Schema | None = None
    """Schema of the reply. The prompt must describe the form too, because some servers do not support schemas."""
    tools: tuple[Tool, ...] = ()
    """Tools that the model may call. They must be the same in every request of a loop, so that `turns` are valid."""
    turns: tuple[ToolTurn, ...] = ()
    """Earlier calls of tools since the user message, oldest first."""
    may_call: bool = True
    """False to forbid further calls of tools, so that the reply is text."""
    begun: str = ""
    """Beginning of a reply that stopped at its token limit, with which the model is to go on; "" for a new reply."""
    on_text: OnText | None = field(default=None, compare=False, repr=False)
    """Function that gets the text of the reply while the model writes it; None if nobody waits for it."""
    form: str = ""
    """The form of a reply with fields, in one line; "" for free text. It stands in the prompt, and is repeated after
    the user message for servers that may ignore schemas.
    """
    prompts: tuple[str, ...] = ()
    """Names and versions of the prompts that made the texts, such as "answer@4". The usage of the reply names them."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the texts of the request, for estimates of its size."""
        return (self.system, self.user, self.begun, *(turn.result for turn in self.turns))


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The reply to a request: text, or calls of tools."""

    text: str
    """Text of the reply; it is blank only if there are calls."""
    structured: Mapping[str, Any] | None = field(default=None, hash=False)
    """The object that the text contains, if the request has a schema and the object fits it; otherwise None."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls of tools, in the order of the reply. They may be carried out in any order."""
    truncated: bool = False
    """True if the text is not complete, because it reached the token limit and could not be continued to its end.

    A reply to a request with a schema, and a reply with calls, is never truncated.
    """
    examples: frozenset[str] = frozenset()
    """Texts that the prompt quotes as examples. They count as empty in the objects of the reply."""

    def objects(self) -> Iterator[Mapping[str, object]]:
        """Yield the structured value if there is one, otherwise every JSON object that is found in the text.

        A text that is copied from an example of the prompt is empty.
        """
        for found in (self.structured,) if self.structured is not None else find_objects(self.text):
            yield {name: without_texts(value, self.examples) for name, value in found.items()}

    def listed(self, name: str) -> list[object] | None:
        """Return the list under a name in the objects of the reply; None if there is none. A list that is cut off has
        the values before the cut.
        """
        lists = (found[name] for found in self.objects() if isinstance(found.get(name), list))
        values: object = next(lists, None)
        if values is None:
            values = without_texts(cut_list(self.text, name), self.examples)
        return values if isinstance(values, list) else None


class Chat(Protocol):
    """A language model that replies to requests. Every call may raise `ModelUnavailable` or `ModelRefused`."""

    @property
    def name(self) -> str:
        """Return the name of the chat: "PROVIDER:MODEL" for a single model, several such names for a wrapper of
        several.
        """

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the model's reply to the request. It has a text that is not blank, or calls of tools."""

    async def aclose(self) -> None:
        """Release the connections. The chat must not be used afterwards."""
