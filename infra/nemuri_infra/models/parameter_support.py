"""Optional parameters of a request that not every model or server accepts."""

import re
from collections.abc import Awaitable, Callable, Iterator, Set
from typing import Final, Literal

from nemuri_infra.models.chat import ChatRequest
from nemuri_infra.models.failures import ModelRefused, ModelUnusable

Parameter = Literal["temperature", "schema", "tools", "cache", "stream"]
"""Temperature 0, a schema of the reply, tools, a mark for the provider's cache, or a reply in pieces."""

_NAMES: Final[dict[Parameter, re.Pattern[str]]] = {
    "temperature": re.compile(r"temperature"),
    "schema": re.compile(r"response_format|json_schema|output_config|output_format|structured output"),
    "tools": re.compile(r"\btools?\b|tool_choice|function.?call"),
    "cache": re.compile(r"cache_control"),
    "stream": re.compile(r"\bstream"),
}
"""Words by which a provider's error names a parameter."""


class ParameterSupport:
    """A record of the parameters that a model refuses, which its first refusal of each shows."""

    def __init__(self) -> None:
        self._refused: frozenset[Parameter] = frozenset()

    def refused(self, parameter: Parameter) -> bool:
        """Return whether the model has refused the parameter."""
        return parameter in self._refused

    async def call(self, post: Callable[[Set[Parameter]], Awaitable[bytes]], wanted: Set[Parameter]) -> bytes:
        """Call `post` with the wanted parameters that the model accepts, and return its body.

        If the provider refuses parameters by name, `post` is called again without them, and so are all later calls.
        """
        while True:
            asked = wanted - self._refused
            try:
                return await post(asked)
            except ModelUnusable:
                raise
            except ModelRefused as error:
                refused = frozenset(parameter for parameter in asked if _NAMES[parameter].search(str(error).casefold()))
                if not refused:
                    raise
                self._refused |= refused


def wanted_parameters(request: ChatRequest) -> Iterator[Parameter]:
    """Yield the optional parameters that a request asks for, without the cache."""
    if request.steady:
        yield "temperature"
    if request.schema:
        yield "schema"
    if request.tools:
        yield "tools"
    if request.on_text:
        yield "stream"
