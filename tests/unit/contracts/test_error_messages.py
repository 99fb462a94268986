"""Tests of the messages on invalid input."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import Field, ValidationError, create_model

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.codec import UndecodableError, parsed, validation_message

FAULTS: list[tuple[Any, object, str]] = [
    (tuple[str, ...], 1, "write a list"),
    (Annotated[tuple[str, ...], Field(max_length=2)], ["a"] * 3, "at most 2, not 3"),
    (Annotated[tuple[str, ...], Field(min_length=2)], ["a"], "at least 2, not 1"),
    (dict[str, str], [], "write a mapping"),
    (MemoryContent, "x", "write a mapping"),
    (str, 1, "write a text"),
    (Annotated[str, Field(min_length=1)], "", "it is empty"),
    (Annotated[str, Field(max_length=2_000)], "a" * 2_001, "at most 2,000 characters"),
    (int, "many", "write a whole number"),
    (int, 1.5, "write a whole number"),
    (float, "many", "write a number"),
    (bool, "perhaps", "write true or false"),
    (UUID, "94e329a8", "write a whole id"),
    (datetime, "yesterday", "write a date, as 2026-01-31, or with a time, as 2026-01-31T12:00:00Z"),
    (Annotated[int, Field(ge=1)], 0, "it must be at least 1"),
    (Annotated[int, Field(le=1)], 2, "it must be at most 1"),
    (Annotated[float, Field(gt=0)], 0, "it must be above 0"),
    (Annotated[float, Field(lt=1)], 1, "it must be below 1"),
    (Literal["global", "project"], "here", "it must be 'global' or 'project'"),
]


def complained(form: Any, value: object) -> str:
    """Return the message about an invalid value of a field of this type."""
    with pytest.raises(ValidationError) as raised:
        create_model("Form", field=(form, ...)).model_validate({"field": value})
    return validation_message(raised.value)


@pytest.mark.parametrize(("form", "value", "words"), FAULTS)
def test_errors_are_in_plain_words(form: Any, value: object, words: str) -> None:
    """Messages about invalid values are in plain words, without terms of pydantic."""
    assert complained(form, value) == f"field: {words}"


def test_our_own_messages_have_no_prefix() -> None:
    """Messages of our validators, about unknown keys and about missing keys have no prefix of pydantic."""
    with pytest.raises(ValidationError) as raised:
        MemoryContent.model_validate({"content": "a\0b"})
    assert validation_message(raised.value) == "content: the text contains a NUL character"
    with pytest.raises(ValidationError) as raised:
        MemoryContent.model_validate({"content": "a", "mood": 1})
    assert validation_message(raised.value) == "mood: there is no such key; check its spelling"
    with pytest.raises(ValidationError) as raised:
        MemoryContent.model_validate({})
    assert validation_message(raised.value) == "content: it is missing"
    with pytest.raises(ValidationError) as raised:
        MemoryContent.model_validate_json(b"{")
    assert validation_message(raised.value).startswith("no valid JSON: EOF")


def test_a_rare_error_has_the_message_of_pydantic() -> None:
    """An error for which we have no message of our own keeps pydantic's message."""
    assert complained(Annotated[int, Field(multiple_of=2)], 1) == "field: Input should be a multiple of 2"


@pytest.mark.parametrize(
    ("wire", "words"),
    [
        (b"{}", "the kind of event is missing"),
        (b'{"text": "Why?"}', "the kind of event is missing"),
        (b'{"kind": "task_invented"}', "unknown kind of event 'task_invented'"),
        (b'{"kind": 5}', "unknown kind of event '5'"),
    ],
)
def test_a_missing_kind_and_an_unknown_kind_have_different_messages(wire: bytes, words: str) -> None:
    """A missing kind and an unknown kind have different messages, so that dead letters distinguish them."""
    with pytest.raises(UndecodableError) as raised:
        parsed(wire)
    assert str(raised.value) == words
