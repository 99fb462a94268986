"""Messages that nobody can handle, each of another kind, and how they get into the log without any help of ours."""

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
from nemuri_infra.bus.event_log import Log

CAUSTIC = "caustic"
"""A word at which the model of the test always fails."""


@dataclass(frozen=True)
class Poison:
    """A message of the client "mallory"."""

    name: str
    data: bytes
    subject: bytes = b"task_submitted"
    """What follows on the client's own prefix."""
    headers: bytes | None = None
    """The whole header block, as it goes over the wire."""
    client: bytes = b"mallory"
    service: str = "intake"
    """Who gives up on it."""
    readable: bool = False
    """Whether it is an event, which fails only when it is handled."""

    async def put(self, log: Log) -> None:
        """Publish it as it is; returns once the server has read it."""
        subject = b"%s.client.%s.%s" % (log.subjects.namespace.encode(), self.client, self.subject)
        subject = subject.rstrip(b".")
        if self.headers is None:
            command = b"PUB %s %d\r\n" % (subject, len(self.data))
        else:
            command = b"HPUB %s %d %d\r\n" % (subject, len(self.headers), len(self.headers) + len(self.data))
        await log.connection._send_command(command + (self.headers or b"") + self.data + b"\r\n")
        await log.connection.flush()


def body(**changes: Any) -> bytes:
    """A submission with something changed."""
    task = TaskSubmitted(event_id=uuid4(), text="What is poison?")
    return orjson.dumps(orjson.loads(encode(task)) | changes)


def without(name: str) -> bytes:
    """A submission that lacks something."""
    return orjson.dumps({key: value for key, value in orjson.loads(body()).items() if key != name})


def raw(old: str, new: bytes) -> bytes:
    """A submission with bytes in it that no encoder writes."""
    return body().replace(old.encode(), new)


def no_json() -> Iterator[Poison]:
    """What is no JSON, or none that means an object."""
    yield Poison("garbage", b"\xff\x00\xfe{{{")
    yield Poison("nothing", b"")
    yield Poison("a megabyte of spaces", b" " * 1_000_000)
    yield Poison("as much as the server takes", b"x" * 1_048_400)
    yield Poison("a list", b"[1, 2, 3]")
    yield Poison("a text", b'"task_submitted"')
    yield Poison("null", b"null")
    yield Poison("a hundred thousand brackets", b"[" * 100_000)
    yield Poison("a hundred thousand objects", b'{"a":' * 100_000)
    yield Poison("truncated", body()[:-7])
    yield Poison("two at once", body() + body())
    yield Poison("a comma too many", body()[:-1] + b",}")
    yield Poison("a comment", b"// a task\n" + body())
    yield Poison("another encoding", body().decode().encode("utf-16"))
    yield Poison("half a character of UTF-8", raw("poison", b"\xe7\x9c"))
    yield Poison("half a character of UTF-16", raw("poison", rb"\ud800"))
    yield Poison("compressed", gzip.compress(body()))
    yield Poison("pickled", pickle.dumps({"kind": "task_submitted"}))
    yield Poison("not a number", raw('"panel":null', b'"panel":NaN'))
    yield Poison("infinity", raw('"panel":null', b'"panel":Infinity'))
    yield Poison("a number without end", raw('"panel":null', b'"panel":' + b"9" * 5_000))


def no_event() -> Iterator[Poison]:
    """What is JSON, and no event that a client may say."""
    yield Poison("no kind", without("kind"))
    yield Poison("an unknown kind", body(kind="task_completed_by_me"))
    yield Poison("a kind that clients may not say", body(kind="task_completed", answer="yes"))
    yield Poison("a kind that is a list", body(kind=["task_submitted"]))
    yield Poison("version 2", body(version=2))
    yield Poison("version 0", body(version=0))
    yield Poison("an unknown field", body(admin=True))
    yield Poison("a field that breaks lines", body(**{"a\r\nNats-Msg-Id: b\r\n\x00": "眠"}))
    yield Poison("a field of endless name", body(**{"長" * 100_000: 1}))
    yield Poison("no id", without("event_id"))
    yield Poison("a number as id", body(event_id=7))
    yield Poison("half an id", body(event_id="0b0c1d2e"))
    yield Poison("an id that only services derive", body(event_id=str(derive("task", "task_completed"))))
    yield Poison("no text", without("text"))
    yield Poison("a number as text", body(text=1))
    yield Poison("NUL", body(text="a\x00b"))
    yield Poison("a text over the limit", body(text="x" * 900_000))
    yield Poison("an agent with wildcards", body(wanted_agent="a.>"))
    yield Poison("a panel of one", body(panel=1))
    yield Poison("a panel of a million", body(panel=1_000_000))
    yield Poison("a text as panel", body(panel="two"))
    document = {"name": "a", "ref": "0" * 64, "characters": 1}
    yield Poison("too many documents", body(documents=[document] * 65))
    yield Poison("a path as reference", body(documents=[document | {"ref": "../../etc/passwd"}]))
    yield Poison("an address as reference", body(documents=[document | {"ref": "http://127.0.0.1/"}]))
    yield Poison("a document of less than nothing", body(documents=[document | {"characters": -1}]))
    yield Poison("a document beyond measure", body(documents=[document | {"characters": 1e300}]))
    yield Poison("a setting that is none", body(setting=[1]))
    silent = orjson.dumps({"event_id": str(uuid4()), "kind": "feedback_given", "correlation_id": str(uuid4())})
    yield Poison("feedback that says nothing", silent, b"feedback_given")
    offer = MemoryOffered(event_id=uuid4(), agent_id="python", memory=MemoryContent(content="poison"))
    yield Poison("an offer of nothing", encode(offer).replace(b'"poison"', b'""'), b"memory_offered")
    choice = {"event_id": str(uuid4()), "correlation_id": str(uuid4()), "kind": "negotiation_answered"}
    yield Poison("a choice that is none", orjson.dumps(choice | {"option": "later"}), b"negotiation_answered")


def misplaced() -> Iterator[Poison]:
    """What is said where it does not belong, or with headers that are none."""
    feedback = FeedbackGiven(event_id=uuid4(), correlation_id=uuid4(), verdict="helpful")
    yield Poison("a wrong kind for the subject", encode(feedback))
    yield Poison("a subject that nobody knows", body(), b"nonsense")
    yield Poison("a subject without a kind", body(), b"")
    yield Poison("a subject that goes on", body(), b"task_submitted.more")
    yield Poison("a subject that is no text", body(), b"\xff\xfe")
    yield Poison("a client of no name", body(), client=b"mal$lory")
    yield Poison("the tutor's name", body(), client=b"tutor")
    yield Poison("a time that is none", body(), headers=b"NATS/1.0\r\nNemuri-Recorded-At: yesterday\r\n\r\n")
    yield Poison("a time that is no text", body(), headers=b"NATS/1.0\r\nNemuri-Recorded-At: \xff\xfe\r\n\r\n")
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


def exhausting(pages: Document, broken: Document) -> Iterator[Poison]:
    """Events that fail whenever they are handled."""
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
