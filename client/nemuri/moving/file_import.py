"""The importer: it reads a file to its end, and hands over what is in it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from nemuri.client.chat_messages import read_messages
from nemuri.client.client import Client
from nemuri.client.conversations import Learned
from nemuri.client.exchange import ClientError
from nemuri.client.memory_imports import ImportedMemories
from nemuri.files.documents import InputError
from nemuri.moving.items import ForeignAgent, ForeignConversation, ForeignMemory, LeftOut
from nemuri.moving.registry import FORMATS
from nemuri_contracts.agents import Definition
from nemuri_contracts.client_events import Scope

NAMED_LOCATIONS: Final = 3
"""Number of places that are named for each reason why something is left out."""
_KEY_LENGTH: Final = 180


@dataclass(slots=True)
class FileContents:
    """The contents of a file, read to its end."""

    memories: dict[str, ForeignMemory] = field(default_factory=dict)
    """The memories by their keys, which begin with the name of the format."""
    conversations: list[ForeignConversation] = field(default_factory=list)
    definition: Definition | None = None
    """Definition of the agent to which the memories belonged."""
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """Places of what is neither a memory nor a turn, by what it is."""


@dataclass(slots=True)
class ImportReport:
    """The outcome of an import of a file."""

    memories: ImportedMemories
    refused: dict[str, str] = field(default_factory=dict)
    """Reasons why memories are refused, by their places in the file."""
    conversations: list[Learned] = field(default_factory=list)
    """Facts learned from each conversation, or in a dry run, the numbers of new turns."""
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """Places of what fits neither a memory nor a conversation, by what it is."""

    @property
    def calls(self) -> int:
        """Return the maximum number of calls of the light model for the conversations."""
        return sum(learned.calls for learned in self.conversations)


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of an import."""

    person: str | None = None
    """Person to whom everything belongs that names no person."""
    scope: Scope = field(default_factory=Scope)
    """Scope of memories that name none."""
    create: bool = True
    max_calls: int | None = None
    """Maximum number of calls of the light model."""
    dry_run: bool = False
    wait: bool = True
    """Wait until the conversations are read."""


def read_file(name: str, path: Path, options: ImportOptions) -> FileContents:
    """Return what is in a file of the format `name`.

    Raises `InputError` with the place at fault; nothing has happened then.
    """
    contents = FileContents()
    for item in FORMATS[name].read(path):
        match item:
            case ForeignMemory():
                _add(contents, name, item, options)
            case ForeignConversation():
                _add_conversation(contents, item)
            case ForeignAgent(definition):
                contents.definition = definition
            case LeftOut(reason, location):
                contents.left_out.setdefault(reason, []).append(location)
    return contents


def _add_conversation(contents: FileContents, talk: ForeignConversation) -> None:
    """Add a conversation without the messages that cannot be stored, such as a text with a NUL character."""
    kept = list[Mapping[str, Any]]()
    for message in talk.messages:
        try:
            read_messages([message])
        except ClientError as error:
            contents.left_out.setdefault(str(error).removeprefix("message 1 "), []).append(talk.location)
        else:
            kept.append(message)
    if kept:
        contents.conversations.append(replace(talk, messages=tuple(kept)))


def _add(contents: FileContents, name: str, item: ForeignMemory, options: ImportOptions) -> None:
    key = f"{name}/{item.key}"
    if not key.isprintable():
        raise InputError(f"{item.location}: its id has characters that cannot be printed")
    if len(key) > _KEY_LENGTH:
        raise InputError(f"{item.location}: its id is longer than {_KEY_LENGTH - len(name) - 1} characters")
    if before := contents.memories.get(key):
        raise InputError(f"{item.location}: its id stands at {before.location} too")
    told = item.content
    changes: dict[str, Any] = {}
    if told.person is None and options.person is not None:
        changes["person"] = options.person
    if "scope" not in told.model_fields_set:
        changes["scope"] = options.scope
    contents.memories[key] = ForeignMemory(item.key, told.model_copy(update=changes), item.location, item.pinned)


async def import_contents(
    client: Client,
    agent: str,
    name: str,
    contents: FileContents,
    options: ImportOptions,
    on_progress: Callable[[int, int], object] | None = None,
) -> ImportReport:
    """Hand over what was read from a file of the format `name`, and return what became of it.

    What was imported before is not imported again. Raises `ClientError` as `Client.import_memories` and
    `Client.converse` do; what was handed over until then stays, and the same import goes on from there.
    """
    imported = await client.import_memories(
        agent,
        {key: memory.content for key, memory in contents.memories.items()},
        create=options.create,
        definition=contents.definition,
        dry_run=options.dry_run,
        on_progress=on_progress,
    )
    for key in imported.new:
        if contents.memories[key].pinned and not options.dry_run:
            await client.pin_memory(imported.memory_ids[key])
    report = ImportReport(
        imported,
        {contents.memories[key].location: reason for key, reason in imported.refused.items()},
        left_out={reason: [*places] for reason, places in contents.left_out.items()},
    )
    left = options.max_calls
    for conversation in contents.conversations:
        learned = await _converse(client, agent, name, conversation, options, left)
        report.conversations.append(learned)
        left = None if left is None else left - (0 if options.dry_run else learned.calls)
        for reason, number in learned.left_out.items():
            report.left_out.setdefault(reason, []).extend([conversation.location] * number)
    return report


async def _converse(
    client: Client, agent: str, name: str, conversation: ForeignConversation, options: ImportOptions, left: int | None
) -> Learned:
    about: Mapping[str, Any] = {
        "conversation": f"{name}/{conversation.name}"[:_KEY_LENGTH],
        "person": conversation.person or options.person,
        "create": options.create,
        "wait": options.wait,
    }
    messages: Sequence[Mapping[str, Any]] = conversation.messages
    if options.dry_run:
        return await client.converse(agent, messages, **about, dry_run=True)
    if left == 0:
        return replace(await client.converse(agent, messages, **about, dry_run=True), calls=0)
    return await client.converse(agent, messages, **about, max_calls=left)


def counted(left_out: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a line for each reason why something was left out, the most frequent first, with the first places."""
    numbers = Counter({reason: len(places) for reason, places in left_out.items()})
    return [
        f"{number} × {reason}: {', '.join(left_out[reason][:NAMED_LOCATIONS])}"
        + (", …" if number > NAMED_LOCATIONS else "")
        for reason, number in numbers.most_common()
    ]
