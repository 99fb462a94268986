"""The agents that a task allows, and those that compete for it."""

from collections.abc import Sequence

from nemuri_contracts.error_messages import LISTED, no_agent
from nemuri_domain.tasks.agent_scores import Applicant
from nemuri_domain.tasks.aggregate import Task


def able_agents(task: Task, applicants: Sequence[Applicant]) -> list[Applicant]:
    """Return the agents that the task allows: the wanted one, and those with the wanted perspective."""
    return [
        applicant
        for applicant in applicants
        if task.wanted_agent in {None, applicant.agent_id}
        and task.wanted_perspective in {None, *applicant.definition.perspective_names}
    ]


def competing(able: Sequence[Applicant], task: Task) -> Sequence[Applicant]:
    """Return the agents that compete for the task: all for a panel, otherwise generalists only without specialists."""
    specialists = [applicant for applicant in able if not applicant.definition.generalist]
    return able if task.panel is not None or not specialists else specialists


def is_one_field(field: Sequence[Applicant]) -> bool:
    """Return True if all agents have the same definition. Any of them can then get any task."""
    return len({applicant.definition for applicant in field}) <= 1


def no_panel(able: Sequence[Applicant]) -> str:
    """Return why a panel is impossible."""
    who = ", ".join(applicant.agent_id for applicant in able)
    return f"a panel needs two seats, and there is only one here: agent {who} with a single perspective"


def nobody(task: Task) -> str:
    """Return why no agent is eligible for a task."""
    if task.wanted_perspective:
        who = f"agent {task.wanted_agent!r}" if task.wanted_agent else "any agent"
        return f"there is no perspective {task.wanted_perspective!r} of {who}; {LISTED}"
    if task.wanted_agent:
        return no_agent(task.wanted_agent)
    return "no agent is defined yet; define one with `nemuri agent add FILE.yaml`"
