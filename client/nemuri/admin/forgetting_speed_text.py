"""Descriptions of how fast agents forget."""

from nemuri_contracts.memory_views import AgentView, FadingView


def pace(fading: FadingView) -> str:
    """Return a clause that says after how many days or tasks an unused memory is archived."""
    if fading.days is None:
        return "an unused memory is never archived for its age"
    tasks = f"{fading.tasks_per_day:g} {'task' if fading.tasks_per_day == 1 else 'tasks'}"
    if fading.by_clock:
        return f"an unused memory is archived after about {fading.days:.0f} days at {tasks} a day or more"
    number = fading.days * fading.tasks_per_day
    return f"an unused memory is archived after about {number:.0f} tasks, however fast they come"


def short_pace(fading: FadingView | None) -> str:
    """Return the forgetting speed for a table column; "" for an agent without strength memory."""
    if fading is None:
        return ""
    if fading.days is None:
        return "never"
    return f"{fading.days:.0f} days" if fading.by_clock else f"{fading.days * fading.tasks_per_day:.0f} tasks"


def paces(agents: "tuple[AgentView, ...]") -> list[str]:
    """Return one line about the forgetting speed of each agent with strength memory."""
    return [f"{agent.agent_id}: {pace(agent.fading)}" for agent in agents if agent.fading is not None]
