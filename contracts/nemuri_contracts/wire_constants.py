"""What of the contracts is plain strings and numbers, for programs that have no time to load the rest of them."""

TURN_LIMIT = 100_000
"""Characters of a prompt, and of a reply, that are taken in."""
LABEL_LIMIT = 200
"""Characters of a short name for people."""
OPERATOR = "cli"
"""The client in whose name the command line speaks, unless it is told another one."""
INBOX = "_INBOX"
"""Where answers come back to whoever has no name."""
_LONGEST = 64


def query(namespace: str, topic: str) -> str:
    """Where a question is asked; answers come back to the asker's inbox."""
    return f"{namespace}-query.{topic}"


def of_client(namespace: str, client: str, kind: str) -> str:
    """The exact subject on which a client says something of a kind."""
    return f"{namespace}.client.{client}.{kind}"


def is_identifier(text: str) -> bool:
    """Whether it may be part of a subject: 1 to 64 letters, digits, `_` or `-`, beginning with a letter or digit."""
    known = text.isascii() and text.replace("-", "0").replace("_", "0").isalnum()
    return known and text[0].isalnum() and len(text) <= _LONGEST
