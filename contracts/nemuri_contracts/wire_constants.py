"""Subjects, limits and names as plain values, for programs that must start without importing pydantic."""

TURN_LIMIT = 100_000
"""Maximum length of a prompt and of a reply, in characters."""
NO_PROJECT = "/"
"""Project of a session that takes place in none, such as one in a home directory. It has no memories of its own, so
only those about the user and those outside of every project are given.
"""
LABEL_LIMIT = 200
"""Maximum length of a display name, in characters."""
OPERATOR = "cli"
"""Default client id of the command line."""
NO_TASK = "-"
"""Token in place of the task in the subject of an event that belongs to none."""
INBOX = "_INBOX"
"""Prefix of the subjects on which a client receives replies if it connects without a user name."""
_LONGEST = 64


def query(namespace: str, topic: str) -> str:
    """Return the subject of a query. The answer goes to the sender's inbox."""
    return f"{namespace}-query.{topic}"


def of_client(namespace: str, client: str, kind: str, task: str = NO_TASK) -> str:
    """Return the subject of a client's events of one kind that belong to a task; by default of those without one."""
    return f"{namespace}.client.{task}.{client}.{kind}"


def is_identifier(text: str) -> bool:
    """Return True if the text is 1 to 64 letters, digits, `_` or `-` and begins with a letter or digit."""
    known = text.isascii() and text.replace("-", "0").replace("_", "0").isalnum()
    return known and text[0].isalnum() and len(text) <= _LONGEST
