"""Messages that no service can handle, each for another reason. They are published without the platform's encoders."""

import gzip
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson

from nemuri_contracts.client_events import Document, FeedbackGiven, MemoryContent, MemoryOffered, TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_contracts.event import derive
from nemuri_contracts.wire_constants import NO_TASK
from nemuri_infra.bus.event_log import Log

CAUSTIC = "caustic"
"""A word at which the test's model always fails when it is in a question or a document."""


@dataclass(frozen=True)
class Poison:
    """A message, published as the client `mallory`, that no service can handle."""

    name: str
    data: bytes
    subject: bytes = b"task_submitted"
    """Last part of the subject, after the prefix of the client."""
    headers: bytes | None = None
    """The whole header block as it is sent; None for a message without headers."""
    client: bytes = b"mallory"
    whole: bytes | None = None
    """The whole subject after the family, if it is malformed; None for one with task, client and kind."""
    service: str = "intake"
    """The service that dead-letters the message."""
    readable: bool = False
    """True for a valid event that fails only when it is handled."""

    async def publish(self, log: Log) -> None:
        """Publish the message as raw bytes, and return once the server has received it."""
        rest = self.whole or b"%s.%s.%s" % (self._task(), self.client, self.subject)
        subject = b"%s.client.%s" % (log.subjects.namespace.encode(), rest.rstrip(b"."))
        if self.headers is None:
            command = b"PUB %s %d\r\n" % (subject, len(self.data))
        else:
            command = b"HPUB %s %d %d\r\n" % (subject, len(self.headers), len(self.headers) + len(self.data))
        await log.connection._send_command(command + (self.headers or b"") + self.data + b"\r\n")
        await log.connection.flush()

    def _task(self) -> bytes:
        """Return the id of the task that a valid event submits."""
        return str(orjson.loads(self.data)["event_id"]).encode() if self.readable else NO_TASK.encode()


def submission(**changes: Any) -> bytes:
    """Return an encoded submission with some fields changed."""
    task = TaskSubmitted(event_id=uuid4(), text="What is poison?")
    return orjson.dumps(orjson.loads(encode(task)) | changes)


def without_field(name: str) -> bytes:
    """Return an encoded submission without one field."""
    return orjson.dumps({key: value for key, value in orjson.loads(submission()).items() if key != name})


def with_raw_bytes(old: str, new: bytes) -> bytes:
    """Return an encoded submission in which the text `old` is replaced by bytes that no encoder writes."""
    return submission().replace(old.encode(), new)


def not_json() -> Iterator[Poison]:
    """Yield messages that are not JSON, or not a JSON object."""
    yield Poison("garbage", b"\xff\x00\xfe{{{")
    yield Poison("nothing", b"")
    yield Poison("a megabyte of spaces", b" " * 1_000_000)
    yield Poison("as much as the server takes", b"x" * 1_048_400)
    yield Poison("a list", b"[1, 2, 3]")
    yield Poison("a text", b'"task_submitted"')
    yield Poison("null", b"null")
    yield Poison("a hundred thousand brackets", b"[" * 100_000)
    yield Poison("a hundred thousand objects", b'{"a":' * 100_000)
    yield Poison("truncated", submission()[:-7])
    yield Poison("two at once", submission() + submission())
    yield Poison("a comma too many", submission()[:-1] + b",}")
    yield Poison("a comment", b"// a task\n" + submission())
    yield Poison("another encoding", submission().decode().encode("utf-16"))
    yield Poison("half a character of UTF-8", with_raw_bytes("poison", b"\xe7\x9c"))
    yield Poison("half a character of UTF-16", with_raw_bytes("poison", rb"\ud800"))
    yield Poison("compressed", gzip.compress(submission()))
    yield Poison("pickled", pickle.dumps({"kind": "task_submitted"}))
    yield Poison("not a number", with_raw_bytes('"panel":null', b'"panel":NaN'))
    yield Poison("infinity", with_raw_bytes('"panel":null', b'"panel":Infinity'))
    yield Poison("a number without end", with_raw_bytes('"panel":null', b'"panel":' + b"9" * 5_000))


def invalid_events() -> Iterator[Poison]:
    """Yield JSON objects that are not events of a client."""
    yield Poison("no kind", without_field("kind"))
    yield Poison("an unknown kind", submission(kind="task_completed_by_me"))
    yield Poison("a kind that clients may not say", submission(kind="task_completed", answer="yes"))
    yield Poison("a kind that is a list", submission(kind=["task_submitted"]))
    yield Poison("version 2", submission(version=2))
    yield Poison("version 0", submission(version=0))
    yield Poison("an unknown field", submission(admin=True))
    yield Poison("a field that breaks lines", submission(**{"a\r\nNats-Msg-Id: b\r\n\x00": "眠"}))
    yield Poison("a field of endless name", submission(**{"長" * 100_000: 1}))
    yield Poison("no id", without_field("event_id"))
    yield Poison("a number as id", submission(event_id=7))
    yield Poison("half an id", submission(event_id="0b0c1d2e"))
    yield Poison("an id that only services derive", submission(event_id=str(derive("task", "task_completed"))))
    yield Poison("no text", without_field("text"))
    yield Poison("a number as text", submission(text=1))
    yield Poison("NUL", submission(text="a\x00b"))
    yield Poison("a text over the limit", submission(text="x" * 900_000))
    yield Poison("an agent with wildcards", submission(agent="a.>"))
    yield Poison("a panel of one", submission(panel=1))
    yield Poison("a panel of a million", submission(panel=1_000_000))
    yield Poison("a rebuttal without a panel", submission(rebuttal=True))
    yield Poison("a text as panel", submission(panel="two"))
    document = {"name": "a", "ref": "0" * 64, "characters": 1}
    yield Poison("too many documents", submission(documents=[document] * 65))
    yield Poison("a path as reference", submission(documents=[document | {"ref": "../../etc/passwd"}]))
    yield Poison("an address as reference", submission(documents=[document | {"ref": "http://127.0.0.1/"}]))
    yield Poison("a document of less than nothing", submission(documents=[document | {"characters": -1}]))
    yield Poison("a document beyond measure", submission(documents=[document | {"characters": 1e300}]))
    yield Poison("domains that are none", submission(domains=[1]))
    silent = orjson.dumps({"event_id": str(uuid4()), "kind": "feedback_given", "correlation_id": str(uuid4())})
    yield Poison("feedback that says nothing", silent, b"feedback_given")
    offer = MemoryOffered(event_id=uuid4(), agent_id="python", memory=MemoryContent(content="poison"))
    yield Poison("an offer of nothing", encode(offer).replace(b'"poison"', b'""'), b"memory_offered")
    choice = {"event_id": str(uuid4()), "correlation_id": str(uuid4()), "kind": "negotiation_answered"}
    yield Poison("a choice that is none", orjson.dumps(choice | {"option": "later"}), b"negotiation_answered")


def misplaced() -> Iterator[Poison]:
    """Yield events on wrong subjects, and messages with invalid headers."""
    feedback = FeedbackGiven(event_id=uuid4(), correlation_id=uuid4(), verdict="helpful")
    yield Poison("a wrong kind for the subject", encode(feedback))
    yield Poison("a subject that nobody knows", submission(), b"nonsense")
    yield Poison("a subject without a kind", submission(), b"")
    yield Poison("a subject with nothing but a name", submission(), whole=b"mallory")
    yield Poison("a subject that goes on", submission(), b"task_submitted.more")
    yield Poison("a subject that is no text", submission(), b"\xff\xfe")
    yield Poison("a client of no name", submission(), client=b"mal$lory")
    yield Poison("the tutor's name", submission(), client=b"tutor")
    yield Poison("a time that is none", submission(), headers=b"NATS/1.0\r\nNemuri-Recorded-At: yesterday\r\n\r\n")
    yield Poison("a time that is no text", submission(), headers=b"NATS/1.0\r\nNemuri-Recorded-At: \xff\xfe\r\n\r\n")
    for status in (100, 404, 408, 409, 503):
        forged = f"NATS/1.0\r\nStatus: {status}\r\nDescription: No Messages\r\n\r\n".encode()
        yield Poison(f"a forged status {status}", b"", headers=forged)
        yield Poison(f"an inline status {status}", b"", headers=f"NATS/1.0 {status} No\r\n\r\n".encode())
    yield Poison("no headers at all", b"{", headers=b"N")
    yield Poison("headers that are bytes", b"{", headers=b"\xff" * 64)
    yield Poison("headers without end", b"{", headers=b"NATS/1.0")
    yield Poison("headers without a colon", b"{", headers=b"NATS/1.0\r\nabc\r\n\r\n")
    yield Poison("huge headers", b"{", headers=b"NATS/1.0\r\na: " + b"b" * 60_000 + b"\r\n\r\n")
    yield Poison("a status that is no text", b"{", headers=b"NATS/1.0 \xff\xff\xff \xff\r\n\r\n")


def unhandleable(pages: Document, broken: Document) -> Iterator[Poison]:
    """Yield valid events that fail whenever they are handled."""
    task = TaskSubmitted(event_id=uuid4(), text="What is lost?")
    lost = Document(name="lost", ref="0" * 64, characters=7)
    handled = {"input that is not there": (lost, task.text), "input that is no text": (broken, task.text)}
    for name, (document, text) in handled.items():
        event = task.model_copy(update={"event_id": uuid4(), "text": text, "documents": (document,)})
        yield Poison(name, encode(event), readable=True)
    read = task.model_copy(update={"event_id": uuid4(), "documents": (pages,)})
    yield Poison("a page that cannot be read", encode(read), readable=True)
    asked = task.model_copy(update={"event_id": uuid4(), "text": f"What is {CAUSTIC}?"})
    yield Poison("a question that cannot be answered", encode(asked), service="specialist", readable=True)
