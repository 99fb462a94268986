"""Text files in the memory of an agent, by the commands of Anthropic's memory tool.

A file is a value under its path. Directories are what paths have in common: they appear with their first file and go
with their last.
"""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from anthropic.lib.tools import ToolError
from anthropic.types.beta import BetaMemoryTool20250818Command
from pydantic.fields import FieldInfo

from nemuri.adapters.keyed_memories import KeyedMemories, KeyedValue, Path
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError

ROOT: Final = "/memories"
LISTED_LEVELS: Final = 2
NUMBER_WIDTH: Final = 6
SHOWN_AROUND: Final = 2
"""Lines that are shown before and after a change."""
UNITS: Final = ("B", "K", "M")


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """The files of an agent. Each method is a command with its fields, and raises `ToolError` if it cannot be done."""

    values: KeyedMemories

    async def execute(self, client: Client, command: BetaMemoryTool20250818Command) -> str:
        """Do a command, and return the answer for the model. Raises `ToolError`, also if the platform fails."""
        if lacking := [name for name, field in type(command).model_fields.items() if _lacks(command, name, field)]:
            raise ToolError(f"the command {command.command} needs {', '.join(lacking)}")
        try:
            match command.command:
                case "view":
                    return await self.view(client, command.path, command.view_range)
                case "create":
                    return await self.create(client, command.path, command.file_text)
                case "str_replace":
                    return await self.str_replace(client, command.path, command.old_str, command.new_str)
                case "insert":
                    return await self.insert(client, command.path, command.insert_line, command.insert_text)
                case "delete":
                    return await self.delete(client, command.path)
                case "rename":
                    return await self.rename(client, command.old_path, command.new_path)
                case _:
                    raise ToolError(f"unknown command {command.command!r}")
        except ClientError as error:
            raise ToolError(str(error)) from error

    async def view(self, client: Client, path: str, view_range: list[int] | None = None) -> str:
        """Return the lines of a file with their numbers, or the files of a directory with their sizes."""
        where = _parts(path)
        if (file := await self._text(client, where)) is not None:
            first, last = view_range or (1, -1)
            lines = file.split("\n")
            chosen = lines[max(first, 1) - 1 : len(lines) if last == -1 else last]
            return f"Here's the content of {path} with line numbers:\n{_numbered(chosen, max(first, 1))}"
        files = await self.values.entries(client, where)
        if where and not files:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        rows = [f"{size}\t{name}" for name, size in _listed(path.rstrip("/"), len(where), files)]
        head = f"Here're the files and directories up to {LISTED_LEVELS} levels deep in {path}, excluding hidden items:"
        return "\n".join([head, f"{_size(files)}\t{path}", *rows])

    async def create(self, client: Client, path: str, file_text: str) -> str:
        """Write a new file."""
        where = _file(path)
        if await self._exists(client, where):
            raise ToolError(f"File {path} already exists")
        await self._check_parents(client, where, path)
        await self.values.put(client, where, file_text)
        return f"File created successfully at: {path}"

    async def str_replace(self, client: Client, path: str, old_str: str, new_str: str = "") -> str:
        """Replace a text that the file has once."""
        where, text = await self._file(client, path)
        starts = [n for n in range(len(text)) if text.startswith(old_str, n)] if old_str else []
        if not starts:
            raise ToolError(f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")
        lines = [text[:start].count("\n") + 1 for start in starts]
        if len(starts) > 1:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines:"
                f" {', '.join(map(str, lines))}. Please ensure it is unique"
            )
        changed = text.replace(old_str, new_str)
        await self.values.put(client, where, changed)
        first = max(lines[0] - SHOWN_AROUND, 1)
        snippet = _numbered(changed.split("\n")[first - 1 : lines[0] + SHOWN_AROUND], first)
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    async def insert(self, client: Client, path: str, insert_line: int, insert_text: str) -> str:
        """Insert lines after the line of a number, 0 for the beginning."""
        where, text = await self._file(client, path)
        lines = text.removesuffix("\n").split("\n") if text else []
        if not 0 <= insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        await self.values.put(client, where, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    async def delete(self, client: Client, path: str) -> str:
        """Delete a file, or a directory with its files."""
        for file in await self._tree(client, path, "delete"):
            await self.values.delete(client, file.path)
        return f"Successfully deleted {path}"

    async def rename(self, client: Client, old_path: str, new_path: str) -> str:
        """Move a file, or a directory with its files."""
        files, old, new = await self._tree(client, old_path, "rename"), _parts(old_path), _file(new_path)
        if await self._exists(client, new):
            raise ToolError(f"The destination {new_path} already exists")
        if new[: len(old)] == old:
            raise ToolError(f"Cannot move {old_path} into itself")
        await self._check_parents(client, new, new_path)
        for file in files:
            await self.values.put(client, (*new, *file.path[len(old) :]), file.value)
        for file in files:
            await self.values.delete(client, file.path)
        return f"Successfully renamed {old_path} to {new_path}"

    async def clear(self, client: Client) -> str:
        """Delete all files."""
        for file in await self.values.entries(client):
            await self.values.delete(client, file.path)
        return "All memory cleared"

    async def _text(self, client: Client, where: Path) -> str | None:
        found = await self.values.get(client, where) if where else None
        return None if found is None else str(found.value)

    async def _file(self, client: Client, path: str) -> tuple[Path, str]:
        where = _parts(path)
        if (text := await self._text(client, where)) is not None:
            return where, text
        if not where or await self.values.entries(client, where):
            raise ToolError(f"The path {path} is not a file.")
        raise ToolError(f"The path {path} does not exist. Please provide a valid path.")

    async def _exists(self, client: Client, where: Path) -> bool:
        return not where or bool(await self.values.entries(client, where))

    async def _check_parents(self, client: Client, where: Path, path: str) -> None:
        for length in range(1, len(where)):
            if await self._text(client, where[:length]) is not None:
                raise ToolError(f"Cannot write {path}: {_shown(where[:length])} is a file")

    async def _tree(self, client: Client, path: str, command: str) -> list[KeyedValue]:
        where = _parts(path)
        if not where:
            raise ToolError(f"Cannot {command} the {ROOT} directory itself")
        if not (files := await self.values.entries(client, where)):
            raise ToolError(f"The path {path} does not exist")
        return files


def _lacks(command: BetaMemoryTool20250818Command, name: str, field: FieldInfo) -> bool:
    """Return True if a field is missing, which the SDK does not check."""
    return field.is_required() and getattr(command, name, None) is None


def _parts(path: str) -> Path:
    """Return the names in a path below the root. Raises `ToolError` for a path outside of it."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    plain = posixpath.normpath(path)
    if plain != ROOT and not plain.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    return tuple(plain.removeprefix(ROOT).split("/")[1:])


def _file(path: str) -> Path:
    """Return the names in the path of a file. Raises `ToolError` for the root, too."""
    if where := _parts(path):
        return where
    raise ToolError(f"File {path} already exists")


def _shown(where: Path) -> str:
    return "/".join((ROOT, *where))


def _listed(path: str, depth: int, files: list[KeyedValue]) -> Iterator[tuple[str, str]]:
    """Yield the names and sizes of what is at most `LISTED_LEVELS` below a directory, by name. Hidden items are left
    out.
    """
    below = [(file.path[depth:], file) for file in files]
    shown = [(names, file) for names, file in below if not any(name.startswith(".") for name in names)]
    heads = {names[:level] for names, _ in shown for level in range(1, LISTED_LEVELS + 1)}
    for head in sorted(heads):
        inside = [file for names, file in shown if names[: len(head)] == head]
        is_directory = any(names != head for names, _ in shown if names[: len(head)] == head)
        yield "/".join((path, *head)) + ("/" if is_directory else ""), _size(inside)


def _size(files: list[KeyedValue]) -> str:
    size = float(sum(len(str(file.value).encode()) for file in files))
    unit = 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f}{UNITS[unit]}" if size == int(size) else f"{size:.1f}{UNITS[unit]}"


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first))
