"""The budget of a society, which a person may change while the society runs or stands still."""

from typing import Self

from nemuri_contracts.event import Value
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.settings import ModelSettings
from nemuri_society.contracts.residents import Budget
from nemuri_society.contracts.society import Society, TokenUse
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.simulation.model_building import unpriced_models
from nemuri_society.simulation.model_spending import exhausted, total_spending
from nemuri_society.stores.society_states import SOCIETY, RevisionError, SocietyError, States


class BudgetState(Value):
    """The budget of a society and what it has used of it since it was created."""

    society: str
    budget: Budget
    used: TokenUse

    @classmethod
    async def of(cls, states: States) -> Self:
        """Return the present state. Raises `SocietyError` if the society does not exist."""
        society = await read_society(states)
        return cls(society=society.name, budget=society.budget, used=await total_spending(states))


async def budget_state(log: Log, name: str) -> BudgetState:
    """Return the budget of a society and its usage. Raises `SocietyError` if the society does not exist."""
    return await BudgetState.of(await States.open(log, name))


async def change_budget(log: Log, settings: ModelSettings, name: str, budget: Budget) -> BudgetState:
    """Replace the budget of a society. The hosts of a running society obey it within a second or two.

    Raises `SocietyError` and changes nothing if the society does not exist, if the budget is used already, or if it
    limits money and a model that the society uses has no price.
    """
    states = await States.open(log, name)
    await check_budget(states, settings, budget)
    await store_budget(states, budget)
    return await BudgetState.of(states)


async def check_budget(states: States, settings: ModelSettings, budget: Budget) -> None:
    """Raise `SocietyError` if a budget cannot be given to a society, like `change_budget`."""
    society = await read_society(states)
    if reached := exhausted(budget, await total_spending(states)):
        raise SocietyError(f"society {society.name!r}: {reached} already; give a higher budget")
    if budget.money is not None and (unpriced := unpriced_models(society, settings)):
        raise SocietyError(
            f"the price list has no {', '.join(unpriced)}; set NEMURI_MODEL_PRICES, or give a budget of tokens"
        )


async def store_budget(states: States, budget: Budget) -> Society:
    """Store another budget in the definition of a society, and return the definition."""
    while True:
        entry = await states.get(SOCIETY)
        if entry is None:
            raise SocietyError(f"there is no society {states.society!r}")
        society = Society.model_validate_json(entry.value).model_copy(update={"budget": budget})
        try:
            await states.write({SOCIETY: society.model_dump_json().encode()}, {SOCIETY: entry.revision})
        except RevisionError:
            continue  # Another command changed it between the read and the write.
        return society
