"""The provider `assistant`: chats that ask the user's own coding assistant, by its command line in print mode.

The assistant is signed in already, so no key is needed. Supported is the command `claude` (Claude Code).
"""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from re import IGNORECASE
from re import compile as compiled
from tempfile import TemporaryDirectory
from typing import ClassVar, Final, Literal

from pydantic import BaseModel

from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable, ModelUnusable
from nemuri_infra.models.network_guard import require_allowed_command
from nemuri_infra.models.provider import ModelName, Positive, Provider
from nemuri_infra.models.provider_calls import AnthropicUsage, read_body, sendable, storable
from nemuri_infra.models.reply_check import structured_value
from nemuri_infra.models.tools_as_text import calls_in_text, without_tools
from nemuri_infra.process.hook_settings import SWITCH

CONCURRENT: Final = 2
"""Maximum number of commands that run at the same time. Each is a whole program with a model's context."""
TURNS: Final = 4
"""Maximum number of turns of a command. An object by a schema needs more than one."""
_SYSTEM: Final = "system.txt"
_TRANSIENT: Final = compiled(
    r"limit (?:reached|exceeded)|hit your \w*\s?limit|rate.?limit|overloaded|too many requests|try again|temporar"
    r"|time[d -]*out|connect|network|internal server|unavailable|\b(?:429|5\d\d)\b",
    IGNORECASE,
)
"""Words of a failure that passes: limits of use, an overloaded provider, and no connection."""
_SESSION_VARIABLES: Final = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT")
"""Variables of the session that started this process. A command of its own must not take part in it."""


class AssistantProvider(Provider):
    """The user's own coding assistant, by its command line."""

    reports_price: ClassVar[bool] = True

    assistant_command: ModelName = "claude"
    """Command of the coding assistant: a name that is searched for in the PATH, or a path."""
    assistant_model: ModelName = "sonnet"
    """Model of the coding assistant for answers, by its full name or the assistant's alias."""
    assistant_light_model: ModelName = "haiku"
    """Model of the coding assistant for readings, summaries and judgements."""
    assistant_call_budget: Positive = 0.05
    """Maximum price of one call of the coding assistant, in US dollars. It ends a call that exceeds it."""

    def chosen_model(self, *, light: bool) -> str:
        """Return the name of the model for answers, or of the light model."""
        return self.assistant_light_model if light else self.assistant_model

    def chat(self, model: str, timeout: float) -> "AssistantChat":
        """Return a chat with a model."""
        budget = self.assistant_call_budget
        return AssistantChat(command=self.assistant_command, model=model, timeout=timeout, budget=budget)


class _Result(BaseModel):
    """The output of the command with `--output-format json`."""

    type: Literal["result"]
    subtype: str = ""
    is_error: bool = False
    result: str = ""
    structured_output: dict[str, object] | None = None
    errors: list[str] = []
    stop_reason: str | None = None
    total_cost_usd: float | None = None
    usage: AnthropicUsage | None = None


class AssistantChat:
    """A chat with a model of the user's coding assistant. Each call is a process without tools, hooks and settings.

    `timeout` is the maximum number of seconds of one call, `budget` its maximum price in US dollars, which the command
    itself enforces. The price that the command reports is the money of the usage. Raises `ModelUnavailable` if the
    user's limit is reached or there is no connection, and `ModelRefused` if the command is missing, not signed in, or
    gives no text.
    """

    def __init__(self, *, command: str, model: str, timeout: float, budget: float) -> None:
        self._command = command
        self._model = model
        self._timeout = timeout
        self._budget = budget
        self._places = asyncio.Semaphore(CONCURRENT)

    @property
    def name(self) -> str:
        """Return the name "assistant:MODEL"."""
        return f"assistant:{self._model}"

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the assistant's reply. Tools are described in the system message and called in the text."""
        require_allowed_command(self._command)
        asked = without_tools(request)
        async with self._places:
            printed, complaint = await self._run(asked)
        if not printed.strip():
            raise ModelRefused(f"{self.name}: no output{_line(complaint)}", brief=f"{self.name}: no output")
        found = read_body(self.name, printed, _Result)
        usage = self._usage(found, request)
        if found.is_error or found.subtype not in {"", "success"}:
            raise self._failure(found, usage)
        text = json.dumps(found.structured_output, ensure_ascii=False) if found.structured_output else found.result
        text = storable(text)
        if not text:
            raise ModelUnusable(f"{self.name}: no text in the reply", usage=usage)
        calls = calls_in_text(text, request)
        return Reply(ChatReply(text, structured_value(text, request), calls), usage)

    async def _run(self, request: ChatRequest) -> tuple[bytes, bytes]:
        """Run the command with the request and return what it prints: its output and its errors."""
        with _workplace(request.system) as folder:
            async with self._process(request, folder) as process:
                try:
                    async with asyncio.timeout(self._timeout):
                        return await process.communicate(sendable(request.user).encode())
                except TimeoutError:
                    raise ModelUnavailable(f"{self.name}: no answer within {self._timeout:g} s") from None

    @asynccontextmanager
    async def _process(self, request: ChatRequest, folder: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """Start the command in an empty directory. At the end of the context it is killed with its children."""
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                self._command, *self._arguments(request), cwd=folder, env=_environment(),
                stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            reason = f"{self.name}: the command {self._command!r} does not start ({error.strerror})"
            raise ModelRefused(reason) from None
        try:
            yield process
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()

    def _arguments(self, request: ChatRequest) -> Iterator[str]:
        yield from ("--print", "--output-format", "json", "--model", self._model, "--system-prompt-file", _SYSTEM)
        yield from ("--tools", "", "--safe-mode", "--strict-mcp-config", "--no-session-persistence")
        yield from ("--max-turns", str(TURNS), "--max-budget-usd", f"{self._budget:g}")
        if request.schema:
            yield from ("--json-schema", request.schema.text)

    def _usage(self, found: _Result, request: ChatRequest) -> Usage:
        used = found.usage or AnthropicUsage()
        return Usage(
            model=self.name,
            input_tokens=used.all_input,
            output_tokens=used.output_tokens or 0,
            cached_tokens=used.cache_read_input_tokens or 0,
            money=found.total_cost_usd or 0.0,
            prompts=request.prompts,
        )

    def _failure(self, found: _Result, usage: Usage) -> ModelUnavailable | ModelRefused:
        reason = found.result or "; ".join(found.errors) or found.stop_reason or ""
        brief = f"{self.name}: {found.subtype or 'error'}"
        message = f"{brief}{_line(reason.encode())}"
        if found.subtype in {"success", "error_during_execution"} and _TRANSIENT.search(reason):
            return ModelUnavailable(message, brief=brief)
        return ModelRefused(message, brief=brief, usage=usage)

    async def aclose(self) -> None:
        """Do nothing: every process ends with its call."""


@contextmanager
def _workplace(system: str) -> Iterator[str]:
    """Yield a directory of the command's own, with the system message in a file.

    It is no argument, because other users can see the arguments of a process.
    """
    with TemporaryDirectory(prefix="nemuri-") as folder:
        Path(folder, _SYSTEM).write_text(sendable(system), encoding="utf-8")
        yield folder


def _environment() -> Mapping[str, str]:
    """Return the environment of the command: ours, with the hooks switched off, so that a call is no turn itself."""
    ours = {name: value for name, value in os.environ.items() if name not in _SESSION_VARIABLES}
    return ours | {SWITCH: "off"}


def _line(text: bytes) -> str:
    """Return a text of the command as the end of a message in one line; "" if it is blank."""
    line = " ".join(text.decode(errors="replace").split())
    return f", {line if len(line) <= 300 else line[:299] + '…'}" if line else ""
