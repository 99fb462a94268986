"""Fields of other products as fields of a memory: texts, times, tags and properties."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from nemuri.files.documents import InputError
from nemuri.moving.items import ForeignMemory, Item, LeftOut
from nemuri_contracts.client_events import TEXT_LIMIT, MemoryContent, MetadataValue
from nemuri_contracts.codec import validation_message
from nemuri_contracts.event import Label
from nemuri_domain.strength.offer_validation import refusal_reason

MAX_TAGS: Final = 32
"""Maximum number of a memory's tags, and of its properties."""
_MILLISECONDS_FROM = 1e11
"""Numbers from this one are times in milliseconds since 1970, smaller ones in seconds."""
_LABEL: Final[TypeAdapter[str]] = TypeAdapter(Label)
_VALUE: Final[TypeAdapter[Any]] = TypeAdapter(MetadataValue)
_WORDED = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d?:\d\d:\d\d) ([AP]M)(?: ?[A-Z]*([+-]\d{4}))?")
"""A time such as `2026-01-20 02:13:45 PM PST-0800`."""


def digest(*parts: str) -> str:
    """Return a short name of texts that have none: the first 32 digits of their SHA-256."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def moment(value: object, location: str) -> datetime | None:
    """Return a time that is written as ISO 8601, in seconds or milliseconds since 1970, or as Letta does; None for null
    and for an empty text. A time without an offset is in UTC.

    Raises `InputError` if it is none of these.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC)
        if isinstance(value, datetime):
            time = value
        elif worded := _WORDED.fullmatch(str(value)):
            day, hour, half, offset = worded.groups()
            time = datetime.strptime(f"{day} {hour} {half} {offset or '+0000'}", "%Y-%m-%d %I:%M:%S %p %z")
        else:
            time = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        raise InputError(f"{location}: {str(value)!r:.80} is no time") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def memories(
    key: str,
    text: str,
    location: str,
    *,
    tags: Iterable[object] = (),
    metadata: Mapping[str, object] | None = None,
    **fields: Any,
) -> Iterator[Item]:
    """Yield the memory of a text, or several if the text is longer than a memory may be. Report what does not fit.

    Args:
        key: Name of the memory in its source.
        text: The text; one without words is left out.
        location: Its place in the file.
        tags: Tags; what is no short text, and what is beyond `MAX_TAGS`, is left out.
        metadata: Properties; what is no word, number or list of words is left out.
        fields: Other fields of `MemoryContent`.
    """
    kept = list[str]()
    for tag in tags:
        name = _label(tag)
        if name is None or name.casefold() == "principle" or len(kept) == MAX_TAGS:
            yield LeftOut("a tag that is too long, one too many, or no text", location)
        elif name not in kept:
            kept.append(name)
    properties = dict[str, object]()
    for name, value in (metadata or {}).items():
        if value is None:
            continue
        label, fitting = _label(name), _property(value)
        if label is None or fitting is None or len(properties) == MAX_TAGS:
            yield LeftOut("a property that is no short text, number or list of short texts", location)
        else:
            properties[label] = fitting
    parts = [*pieces(text)]
    for number, part in enumerate(parts):
        try:
            content = MemoryContent.model_validate(
                {"content": part, "tags": kept, "metadata": properties, **fields}, strict=False
            )
        except ValidationError as error:
            yield LeftOut(validation_message(error), location)
            continue
        if (refused := refusal_reason(content)) is not None:
            yield LeftOut(refused, location)
        else:
            yield ForeignMemory(key if number == 0 else f"{key}#{number + 1}", content, location)
    if not parts:
        yield LeftOut("it has no words", location)


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of at most `TEXT_LIMIT` characters, divided at the last paragraph, line or word that
    fits. Yield nothing for a blank text.
    """
    rest = text.strip()
    while len(rest) > TEXT_LIMIT:
        ends = (rest.rfind(mark, TEXT_LIMIT // 2, TEXT_LIMIT) for mark in ("\n\n", "\n", " "))
        end = next((end for end in ends if end > 0), TEXT_LIMIT)
        yield rest[:end].rstrip()
        rest = rest[end:].lstrip()
    if rest:
        yield rest


def _label(value: object) -> str | None:
    try:
        return _LABEL.validate_python(value) if isinstance(value, str) else None
    except ValidationError:
        return None


def _property(value: object) -> object:
    """Return a property as Nemuri keeps it; None if it does not fit."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            value = float(value)
        case datetime():
            value = value.isoformat()
        case list() | tuple():
            value = tuple(value)
        case _:
            pass
    try:
        fitting: object = _VALUE.validate_python(value)
    except ValidationError:
        return None
    return fitting
