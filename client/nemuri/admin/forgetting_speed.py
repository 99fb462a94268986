"""How fast agents forget, in words."""

from typing import TYPE_CHECKING

from nemuri_contracts.memory_views import AgentView, FadingView

if TYPE_CHECKING:
    from nemuri_infra.runtime.settings import Settings


def pace(fading: FadingView) -> str:
    """Return how fast an agent forgets what it never uses, in one clause."""
    if fading.days is None:
        return "an unused memory is never archived for its age"
    tasks = f"{fading.tasks_per_day:g} {'task' if fading.tasks_per_day == 1 else 'tasks'}"
    if fading.by_clock:
        return f"an unused memory is archived after about {fading.days:.0f} days at {tasks} a day or more"
    number = fading.days * fading.tasks_per_day
    return f"an unused memory is archived after about {number:.0f} tasks, however fast they come"


def short_pace(fading: FadingView | None) -> str:
    """Return the same for a column of a table; "" for an agent whose memories fade in another way."""
    if fading is None:
        return ""
    if fading.days is None:
        return "never"
    return f"{fading.days:.0f} days" if fading.by_clock else f"{fading.days * fading.tasks_per_day:.0f} tasks"


def paces(agents: "tuple[AgentView, ...]") -> list[str]:
    """Return a line for each agent that remembers by use."""
    return [f"{each.agent_id}: {pace(each.fading)}" for each in agents if each.fading is not None]


async def paces_of(settings: "Settings") -> list[str]:
    """Return these lines for the agents of a running platform."""
    from nemuri.client.connection import connected
    from nemuri_contracts.event import OPERATOR

    async with connected(settings, settings.client or OPERATOR) as client:
        return paces(await client.agents())
