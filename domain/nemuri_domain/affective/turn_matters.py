"""The matters of a turn: files that the assistant touched, commands, errors, and answers of the user in between."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from nemuri_domain.affective.sanitize import storable

MATTER_LIMIT: Final = 200
"""Maximum length of a file's path, a command and an error, in characters."""
MOST_FILES, MOST_COMMANDS, MOST_ERRORS = 30, 15, 10
_READ: Final = 20_000
"""Number of characters that are searched for secrets and private parts before a text is cut to `MATTER_LIMIT`."""
_PATHS: Final = ("file_path", "notebook_path")
_COMMANDS: Final = ("command", "cmd")
_REJECTED: Final = ("user-rejected",)
_FEEDBACK: Final = "the user said:\n"
_UNASKED: Final = "The user doesn't want to proceed with this tool use."
_NOTE: Final = "\n\nNote: The user's next message may contain a correction or preference."


class Matters(NamedTuple):
    """Files, commands and errors of a turn, each once, in their order. Secrets and private parts are replaced."""

    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class ToolCalls:
    """The tool calls of a transcript, and what they say about the turn that is open.

    `replaced` returns a text without secrets and private parts.
    """

    def __init__(self, replaced: Callable[[str], str]) -> None:
        self._replaced = replaced
        self._names: dict[str, str] = {}
        self._files: dict[str, None] = {}
        self._commands: dict[str, None] = {}
        self._errors: dict[str, None] = {}

    def take(self, blocks: Iterable[Mapping[str, Any]]) -> None:
        """Note the tool calls among the blocks of an assistant's entry."""
        for block in blocks:
            if block.get("type") != "tool_use" or not isinstance(given := block.get("input"), Mapping):
                continue
            path, command = self._first(given, _PATHS), self._first(given, _COMMANDS)
            name = block.get("name") if isinstance(block.get("name"), str) else "a tool"
            self._names[str(block.get("id"))] = f"{name} {path or command}".strip() if path or command else str(name)
            if path:
                self._files[path] = None
            if command:
                self._commands[command] = None

    def answered(self, entry: Mapping[str, Any], blocks: Iterable[Mapping[str, Any]]) -> list[str]:
        """Note the errors among the results of an entry, and return what the user said instead of a result: a refusal,
        with its words, and answers to questions.
        """
        said = _answers(entry.get("toolUseResult"))
        for block in blocks:
            if block.get("type") != "tool_result":
                continue
            text, call = _content(block.get("content")), self._names.get(str(block.get("tool_use_id")), "a tool")
            if entry.get("toolDenialKind") in _REJECTED or text.startswith(_UNASKED):
                _, _, words = text.partition(_FEEDBACK)
                said.append(f"[refused {call}] {words.partition(_NOTE)[0].strip()}".strip())
            elif block.get("is_error") and entry.get("toolDenialKind") is None and (error := self._clean(text)):
                self._errors[error] = None
        return said

    def matters(self) -> Matters:
        """Return the matters since the last call."""
        found = Matters(
            tuple(self._files)[-MOST_FILES:],
            tuple(self._commands)[-MOST_COMMANDS:],
            tuple(self._errors)[-MOST_ERRORS:],
        )
        self._files, self._commands, self._errors = {}, {}, {}
        return found

    def _first(self, given: Mapping[str, Any], names: Iterable[str]) -> str:
        found = (value for name in names if isinstance(value := given.get(name), str) and value.strip())
        return next(map(self._clean, found), "")

    def _clean(self, text: str) -> str:
        """Return the beginning of the text on one line, without secrets and private parts."""
        return storable(self._replaced(" ".join(text[:_READ].split())), MATTER_LIMIT)


def _answers(result: object) -> list[str]:
    """Return the user's answers to the assistant's questions. Questions that nobody answered are left out."""
    if not isinstance(result, Mapping) or not isinstance(answers := result.get("answers"), Mapping):
        return []
    notes = result.get("annotations")
    if result.get("afkTimeoutMs"):
        return []

    def answered(question: object) -> bool:
        note = notes.get(question) if isinstance(notes, Mapping) else None
        return not (isinstance(note, Mapping) and note.get("unanswered"))

    return [f"[asked: {question}] {answer}" for question, answer in answers.items() if answer and answered(question)]


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))
