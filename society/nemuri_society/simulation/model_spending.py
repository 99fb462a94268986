"""The usage of a society's models since it was created, and its budget.

Each host keeps the usage of its own process under a key of its own, so the sum over all keys contains earlier runs and
the other hosts. A crash loses the usage of at most the last second.
"""

import structlog

from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_society.contracts.residents import Budget
from nemuri_society.contracts.society import Society, TokenUse
from nemuri_society.stores.society_states import SOCIETY, SPENDING, RevisionError, States

logger = structlog.get_logger()


class Spending:
    """The usage of a society, as one host knows it."""

    def __init__(self, host: str, states: States, budget: Budget) -> None:
        """Create the usage of the host `host`, which has used nothing yet."""
        self.budget = budget
        """The budget in force, up to the last `share`. A person may change it while the society runs."""
        self.others = TokenUse()
        """Usage of other hosts and of earlier runs, up to the last `share`."""
        self._key, self._states = f"{SPENDING}.{host}", states
        self._entries, self._definition = states.following(f"{SPENDING}.*"), states.following(SOCIETY)
        self._defined = 0
        """Revision of the definition from which the budget was read."""
        self._written = TokenUse()
        self._revision = 0

    async def share(self, own: TokenUse) -> None:
        """Write this host's usage, if it has grown, and read that of the others and the budget. A failure is logged and
        tried again at the next call.
        """
        try:
            if own != self._written:
                value = own.model_dump_json().encode()
                known = {self._key: self._revision} if self._revision else {}
                self._revision = (await self._states.write({self._key: value}, known))[self._key]
                self._written = own
            present = await self._entries.present()
            await self._read_budget()
        except RevisionError:  # An earlier write arrived although its acknowledgement did not.
            entry = await self._states.get(self._key)
            self._revision = 0 if entry is None else entry.revision
        except READER_ERRORS as error:
            logger.warning("usage not shared", key=self._key, why=log_safe(error))
        else:
            theirs = (TokenUse.model_validate_json(one.value) for key, one in present.items() if key != self._key)
            self.others = sum(theirs, TokenUse())

    async def _read_budget(self) -> None:
        """Read the budget, if the definition of the society has changed."""
        entry = (await self._definition.present()).get(SOCIETY)
        if entry is not None and entry.revision != self._defined:
            self.budget, self._defined = Society.model_validate_json(entry.value).budget, entry.revision

    def exhausted(self, own: TokenUse) -> str:
        """Return in words which limit of the budget is reached; "" if none is."""
        return exhausted(self.budget, self.others + own)

    async def close(self) -> None:
        """Stop following the other hosts and the budget."""
        await self._entries.close()
        await self._definition.close()


def exhausted(budget: Budget, used: TokenUse) -> str:
    """Return in words which limit of the budget this usage reaches; "" if none."""
    if budget.tokens is not None and used.tokens >= budget.tokens:
        return f"{used.tokens:,} of {budget.tokens:,} tokens are used"
    if budget.money is not None and used.money >= budget.money:
        return f"{used.money:.4g} of {budget.money:g} of money is used"
    return ""


async def total_spending(states: States) -> TokenUse:
    """Return what a society has used since it was created."""
    return sum([TokenUse.model_validate_json(entry.value) async for entry in states.read(f"{SPENDING}.*")], TokenUse())
