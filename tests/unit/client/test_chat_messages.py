"""Messages of other clients become turns, and what is left out is counted."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel

from nemuri.client.chat_messages import read_messages
from nemuri.client.exchange import ClientError
from nemuri_contracts.conversations import TURN_CHARACTERS

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Message(BaseModel):
    """A message as an object of a client."""

    role: str
    content: str | None = None
    tool_calls: list[dict[str, Any]] | None = None


def test_messages_of_openai() -> None:
    """System messages, calls of tools and their results are left out; texts and parts of texts are turns."""
    found = read_messages(
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "name": "Ann", "content": "Book a table."},
            Message(role="assistant", tool_calls=[{"id": "1", "function": {"name": "book", "arguments": "{}"}}]),
            {"role": "tool", "tool_call_id": "1", "content": "booked"},
            Message(role="assistant", content="It is booked."),
            {"role": "user", "content": [{"type": "text", "text": "Thanks."}, {"type": "image_url", "image_url": {}}]},
        ]
    )
    assert [(turn.position, turn.role, turn.speaker, turn.text) for turn in found.turns] == [
        (0, "user", "Ann", "Book a table."),
        (1, "assistant", None, "It is booked."),
        (2, "user", None, "Thanks."),
    ]
    assert found.left_out == {"system message": 1, "tool call": 1, "tool result": 1, "image": 1}


def test_messages_of_anthropic() -> None:
    """Blocks of text are turns; uses of tools, their results and thoughts are left out."""
    found = read_messages(
        [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "18 degrees"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "The user wants the weather."},
                    {"type": "text", "text": "It is 18 degrees."},
                    {"type": "tool_use", "id": "2", "name": "weather", "input": {}},
                ],
            },
        ]
    )
    assert [turn.text for turn in found.turns] == ["It is 18 degrees."]
    assert found.left_out == {"tool result": 1, "thought": 1, "tool call": 1}


def test_a_caption_stands_for_its_image() -> None:
    """An image with a caption is its caption."""
    found = read_messages([{"role": "user", "content": [{"type": "image", "source": {}, "caption": "a red bike"}]}])
    assert [turn.text for turn in found.turns] == ["[image: a red bike]"]
    assert not found.left_out


@pytest.mark.parametrize("time", [NOON, NOON.isoformat(), NOON.timestamp(), "2026-05-01 12:00"])
def test_times_of_messages(time: object) -> None:
    """A message may have its time as a time, in ISO 8601 or in seconds; one without a zone is in UTC."""
    assert read_messages([{"role": "user", "content": "Hi", "timestamp": time}]).turns[0].at == NOON


def test_messages_without_a_time_get_that_of_the_call() -> None:
    """The time of the call is that of messages without one."""
    assert read_messages(["Hi"], at=NOON).turns[0].at == NOON


def test_a_long_message_is_divided() -> None:
    """A message that is longer than a turn may be becomes several turns, without a loss."""
    text = "word " * (TURN_CHARACTERS // 2)
    found = read_messages([text])
    assert [turn.position for turn in found.turns] == [0, 1, 2]
    assert "".join(turn.text for turn in found.turns) == text.strip()


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (3, "message 1 must be a text or have a role and a content, not int"),
        ({"content": "Hi"}, "message 1 has no role"),
        ({"role": "narrator", "content": "Hi"}, "message 1 has the unknown role 'narrator'"),
        ({"role": "user", "content": 3}, "message 1: the content must be a text or a list of parts"),
        ({"role": "user", "content": "Hi", "at": "soon"}, "message 1: 'soon' is no time"),
    ],
)
def test_what_is_no_message_is_refused(message: object, complaint: str) -> None:
    """The complaint names the message."""
    with pytest.raises(ClientError) as caught:
        read_messages([message])
    assert str(caught.value) == complaint
