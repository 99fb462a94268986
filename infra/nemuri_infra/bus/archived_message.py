"""One message in a segment of the log's archive: its line, and the keys of its subject."""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b

import orjson

from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.bus.subject_patterns import is_pattern


def line_of(message: StoredMessage) -> bytes:
    """Return the line of a message: a JSON object."""
    said: dict[str, object] = {
        "sequence": message.sequence,
        "subject": message.subject,
        "stored_at": message.stored_at.isoformat(),
        "headers": message.headers,
    }
    try:
        said["data"] = message.data.decode()
    except UnicodeDecodeError:
        said["base64"] = b64encode(message.data).decode()
    return orjson.dumps(said) + b"\n"


def message_in(line: bytes) -> StoredMessage:
    """Return the message of a line. Raises ValueError, KeyError or TypeError for any other line."""
    said = orjson.loads(line)
    data = said["data"].encode() if "data" in said else b64decode(said["base64"])
    stored_at = datetime.fromisoformat(said["stored_at"])
    return StoredMessage(said["subject"], said["sequence"], data, said["headers"], stored_at)


def keys_of(subject: str) -> Iterator[int]:
    """Yield the keys of a subject or of a pattern. The first token is the namespace, which all subjects share."""
    tokens = subject.split(".")
    for place, token in enumerate(tokens[1:], 1):
        if not is_pattern(token):
            yield _key(f"{place} {token}")
    if len(tokens) > 1 and not any(map(is_pattern, tokens[-2:])):
        yield _key(f"{tokens[-2]} {tokens[-1]}")


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
