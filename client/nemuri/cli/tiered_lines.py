"""Text output about tiered memory: its tiers, newest memories, and scores of retrieved memories."""

from nemuri.terminal.output import say, short, table
from nemuri_contracts.tiered_views import TierMemoryView, TierRecalledView, TiersRecallView, TiersView


def show(view: TiersView) -> None:
    """Print the overview of an agent's tiered memory."""
    say(f"{view.agent_id}: lived {view.hours:.1f} hours, {_consolidated(view)}\n")
    rows = [
        ("short-term", view.short, view.capacity, f"consolidated every {view.interval / 60:g} minutes"),
        ("long-term", view.long, view.long_capacity, f"{view.shared} shared" if view.shared else ""),
    ]
    table(("layer", "memories", "at most", ""), rows, numbers=("memories", "at most"))
    if view.merging:
        say(f"{view.merging} are about to be merged into others")
    if view.types:
        say(", ".join(f"{number} {name}" for name, number in sorted(view.types.items())))
    for title, memories in (("Newest in short-term memory:", view.newest), ("In long-term memory:", view.formed)):
        if memories:
            say(f"\n{title}")
            numbers = ("importance", "accesses")
            table(("memory", "type", *numbers, "content"), [_memory(memory) for memory in memories], numbers=numbers)


def show_recalled(found: TiersRecallView) -> None:
    """Print the retrieved memories with their scores as a table."""
    if found.working:
        say(f"{found.module} also uses working memory, which only a running host has")
    if not found.recalled:
        say("no memory was retrieved")
        return
    numbers = ("score", "relevance", "recency", "importance")
    rows = [
        (
            str(recalled.memory.memory_id),
            f"{recalled.score:.3f}",
            f"{recalled.relevance:.3f}",
            f"{recalled.recency:.3f}",
            f"{recalled.importance:.2f}",
            recalled.memory.layer,
            short(f"{_mark(recalled)}{_seen(recalled.memory)}{recalled.memory.type}: {recalled.memory.content}"),
        )
        for recalled in found.recalled
    ]
    table(("memory", *numbers, "layer", "content"), rows, numbers=numbers, spare=("layer",))
    alpha, beta, gamma = found.weights
    say(f"score = {alpha:g} · relevance + {beta:g} · recency + {gamma:g} · importance")


def _mark(recalled: TierRecalledView) -> str:
    return "(older) " if recalled.succeeded_by else ""


def _consolidated(view: TiersView) -> str:
    return "never consolidated" if view.consolidated_for is None else f"last consolidated for {view.consolidated_for}"


def _memory(each: TierMemoryView) -> tuple[object, ...]:
    told = short(f"{_seen(each)}{each.content}")
    return str(each.memory_id), each.type, f"{each.importance:.2f}", each.access_count, told


def _seen(memory: TierMemoryView) -> str:
    """Return the agents with which a memory is shared, in brackets; "" if it is not shared."""
    return {"private": "", "global": "[all] "}.get(memory.scope, f"[{', '.join(memory.visible_to)}] ")
