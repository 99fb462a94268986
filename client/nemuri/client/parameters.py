"""Types of the parameters of the client's methods, which are checked before anything is sent.

All other parameters are checked strictly by their annotations (`call_boundary`): bytes are not accepted as text, nor
text as a number.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field, PlainValidator, StrictInt, TypeAdapter, ValidationError

from nemuri_contracts.client_events import MemoryKind
from nemuri_contracts.error_messages import plain
from nemuri_contracts.event import Label, Text
from nemuri_contracts.event import Written as AnyWritten
from nemuri_contracts.tiered import Layer

Written = Annotated[AnyWritten, Field(strict=True)]
"""A text that is not empty or blank."""
_text: TypeAdapter[str] = TypeAdapter(Annotated[Text, Field(strict=True)])
_written: TypeAdapter[str] = TypeAdapter(Written)
_label: TypeAdapter[str] = TypeAdapter(Annotated[Label, Field(strict=True)])
_number: TypeAdapter[int] = TypeAdapter(StrictInt)
_uuid: TypeAdapter[UUID] = TypeAdapter(Annotated[UUID, Field(strict=True)])


def _several(value: object) -> tuple[object, ...]:
    if isinstance(value, str):
        raise ValueError(f"write a list, as [{value!r:.60}]")  # noqa: TRY004 - pydantic reports only a ValueError
    if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
        raise ValueError("write a list")  # noqa: TRY004 - the same
    return tuple(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(_text.validate_python(element) for element in _several(value))


def _numbers(value: object) -> tuple[int, ...]:
    return tuple(_number.validate_python(element) for element in _several(value))


def _documents(value: object) -> tuple[tuple[str, str], ...]:
    pairs = []
    for element in _several(value):
        pair = _several(element)
        if len(pair) != len(("name", "text")):
            raise ValueError("write a list of pairs, each the name and the text of a document")
        name = _label.validate_python(pair[0])
        try:
            pairs.append((name, _written.validate_python(pair[1])))
        except ValidationError as error:
            raise ValueError(f"the document {name!r:.80}: {plain(error.errors()[0])}") from error
    return tuple(pairs)


def _id(value: Any) -> Any:
    return UUID(value) if isinstance(value, str) and _is_uuid(value) else value


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _ids(value: object) -> tuple[UUID, ...]:
    return tuple(_uuid.validate_python(_id(element)) for element in _several(value))


Texts = Annotated[Iterable[str], PlainValidator(_texts)]
"""Any number of texts. A single text is refused, because it would be read as a list of its letters."""
Numbers = Annotated[Iterable[int], PlainValidator(_numbers)]
Documents = Annotated[Sequence[tuple[str, str]], PlainValidator(_documents)]
"""Pairs of the name and the text of a document. The text is not empty."""
Id = Annotated[UUID, BeforeValidator(_id)]
"""A UUID, or its text."""
Ids = Annotated[Iterable[UUID], PlainValidator(_ids)]
"""Any number of UUIDs, or of their texts."""
Timeout = Annotated[float, Field(gt=0)]
"""Seconds above 0."""
Layers = Annotated[Iterable[Layer], PlainValidator(_texts)]
MemoryKinds = Annotated[Iterable[MemoryKind], PlainValidator(_texts)]
Metadata = dict[str, str | float | Sequence[str]]
"""Properties of the client's own: words, numbers and lists of words, by name."""
LogPlace = Annotated[int, Field(ge=1, le=2**53)]
"""Position of an event in the log (its stream sequence), at least 1."""
