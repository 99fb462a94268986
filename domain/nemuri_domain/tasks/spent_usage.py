"""Budgets of tasks and agents: what language models have spent, and whether one more call is allowed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from nemuri_contracts.client_events import Budget
from nemuri_contracts.event import Usage
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.task_costs import costs

_NOTES = {
    "en": "(Not every step was done by a language model: {reason}.)",
    "ja": "（予算の都合で、一部は言語モデルを使わずに作りました：{reason}）",
}


@dataclass(frozen=True, slots=True)
class Spent:
    """The tokens and the money that model calls have spent."""

    tokens: int = 0
    money: float = 0.0
    """Sum of the known prices."""
    unpriced: str | None = None
    """A model that used tokens and has no known price; None if all prices are known."""

    @classmethod
    def by(cls, calls: Iterable[Usage]) -> "Spent":
        """Return what these calls have spent."""
        usages = list(calls)
        return cls(
            sum(usage.tokens for usage in usages),
            sum(usage.money or 0.0 for usage in usages),
            next((usage.model for usage in usages if usage.tokens and usage.money is None), None),
        )

    def __add__(self, other: "Spent") -> "Spent":
        """Return the sum of both."""
        return Spent(self.tokens + other.tokens, self.money + other.money, self.unpriced or other.unpriced)


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget, and what was spent of it before the event that is being handled."""

    whose: str
    """Owner of the budget in words, for example "the task"."""
    budget: Budget
    spent: Spent

    def forbids(self, now: Spent, prompt_tokens: int, *, priced: bool) -> str | None:
        """Return why one more call is not allowed, in one line; None if it is.

        Args:
            now: What the handling of the present event has spent so far.
            prompt_tokens: Estimated tokens of the prompt. The reply is not counted in advance, so the last reply of a
                budget may exceed it.
            priced: True if the price of the called model is known. Without it, a budget of money allows no call.
        """
        total = self.spent + now
        tokens, money = self.budget.tokens, self.budget.money
        if tokens is not None and total.tokens + prompt_tokens > tokens:
            return (
                f"{self.whose} has a budget of {tokens:,} tokens, of which {total.tokens:,} are spent, "
                f"and the next prompt has about {prompt_tokens:,}"
            )
        if money is None:
            return None
        if not priced or total.unpriced:
            return f"{self.whose} has a budget of money, but the price of the model is not known"
        return (
            f"{self.whose} has a budget of {money:g}, of which {total.money:.4g} is spent"
            if total.money >= money
            else None
        )


def task_limit(state: TaskState) -> Limit | None:
    """Return the limit of a task; None if the task has no budget."""
    budget = state.task.budget if state.task else None
    return Limit("the task", budget, Spent.by(costs(state))) if budget else None


class DailyBudget(Protocol):
    """The part of an agent's policy that limits what language models spend in a day."""

    @property
    def daily_tokens(self) -> int | None:
        """Maximum tokens; None for no limit."""

    @property
    def daily_money(self) -> float | None:
        """Maximum price; None for no limit."""


def agent_limit(agent_id: str, policy: DailyBudget, spent: Spent) -> Limit | None:
    """Return the limit of an agent for a day, of which `spent` is spent; None if its policy has none."""
    if policy.daily_tokens is None and policy.daily_money is None:
        return None
    return Limit(f"the agent {agent_id} for today", Budget(tokens=policy.daily_tokens, money=policy.daily_money), spent)


def over_budget(state: TaskState) -> str | None:
    """Return why a step of the task was done without a language model, in one line; None if no budget prevented a
    call.
    """
    return next((cost.over_budget for cost in costs(state) if cost.over_budget), None)


def with_budget_note(answer: str, state: TaskState) -> str:
    """Return the answer with a last line that says which budget was used up; unchanged if none was."""
    reason = over_budget(state)
    if reason is None or state.task is None:
        return answer
    note = _NOTES["ja" if any(map(is_cjk, state.task.text)) else "en"]
    return f"{answer}\n\n{note.format(reason=reason)}"
