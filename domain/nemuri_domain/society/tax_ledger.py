"""The ledger of a community: who earned what and paid how much of it, in whole units, so that nothing is ever lost."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Payment:
    """What one taxpayer paid in one season."""

    season: int
    payer: str
    income: int
    """What it earned in that season; 0 or more."""
    rate: int
    """Percent in force."""
    paid: int
    """Units that went to the treasury."""


class LedgerError(ValueError):
    """A payment that cannot be; nothing was entered."""


@dataclass(slots=True)
class Ledger:
    """All payments, the purses of the payers and the treasury."""

    payments: list[Payment] = field(default_factory=list)
    purses: dict[str, int] = field(default_factory=dict)
    treasury: int = 0

    def settle(self, season: int, payer: str, income: int, rate: int) -> Payment:
        """The payer earns and pays what the law asks, rounded down to whole units.

        Raises LedgerError for an income below 0, a rate outside 0 to 100, and a second payment in a season.
        """
        if income < 0 or not 0 <= rate <= 100:
            raise LedgerError(f"an income of {income} at {rate} % cannot be taxed")
        if any(each.season == season and each.payer == payer for each in reversed(self.payments)):
            raise LedgerError(f"{payer} has paid for season {season} already")
        payment = Payment(season, payer, income, rate, income * rate // 100)
        self.payments.append(payment)
        self.purses[payer] = self.purses.get(payer, 0) + income - payment.paid
        self.treasury += payment.paid
        return payment

    @property
    def exact(self) -> bool:
        """Whether every unit ever earned is in a purse or in the treasury, and each as the payments say."""
        earned, paid = sum(each.income for each in self.payments), sum(each.paid for each in self.payments)
        return self.treasury == paid and sum(self.purses.values()) + self.treasury == earned

    def share(self, seasons: Iterable[int]) -> float:
        """The share of what was earned in these seasons that was paid, 0 to 1; 0 where nothing was earned."""
        chosen = set(seasons)
        some = [each for each in self.payments if each.season in chosen]
        earned = sum(each.income for each in some)
        return sum(each.paid for each in some) / earned if earned else 0.0
