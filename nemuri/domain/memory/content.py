"""What of a memory is embedded and indexed."""

from nemuri.contracts.clients import MemoryContent


def embedded_text(memory: MemoryContent) -> str:
    """The text that stands for a memory in both channels of retrieval.

    Who spoke and when is part of it: that alone lifts recall by a third and more (measured on conversations).
    """
    said = " ".join(part for part in (memory.said_by, f"{memory.said_at:%d %B %Y}" if memory.said_at else None) if part)
    learned = "\n".join(text for text in memory.learnings.values() if text != memory.content)
    body = f"{said}: {memory.content}" if said else memory.content
    return "\n".join(part for part in (body, learned) if part)


def indexed_text(memory: MemoryContent) -> str:
    """What the channel of words sees: the embedded text and the tags."""
    return f"{embedded_text(memory)}\n{' '.join(memory.tags)}"
