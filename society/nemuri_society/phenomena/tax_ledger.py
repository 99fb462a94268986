"""The tax ledger of a community, in whole units so that no rounding loses money."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Payment:
    """The income of one taxpayer in one season, and the tax paid on it."""

    season: int
    payer: str
    income: int
    """Income in that season, in whole units; 0 or more."""
    rate: int
    """Tax rate in percent."""
    paid: int
    """Units paid to the treasury."""


class InvalidPaymentError(ValueError):
    """Raised if a payment is invalid. The ledger is unchanged."""


@dataclass(slots=True)
class TaxLedger:
    """All payments, the balance of each payer, and the treasury."""

    payments: list[Payment] = field(default_factory=list)
    balances: dict[str, int] = field(default_factory=dict)
    treasury: int = 0

    def record_payment(self, season: int, payer: str, income: int, rate: int, paid: int | None = None) -> Payment:
        """Record an income and what is paid of it: by default the tax, rounded down to whole units. Return the payment.

        Raises `InvalidPaymentError` for an income below 0, a rate outside 0 to 100, more `paid` than the income or
        less than nothing, or a second payment of a payer in the same season.
        """
        if income < 0 or not 0 <= rate <= 100:
            raise InvalidPaymentError(f"an income of {income} at {rate} % cannot be taxed")
        if paid is not None and not 0 <= paid <= income:
            raise InvalidPaymentError(f"{paid} units cannot be paid of an income of {income}")
        if any(earlier.season == season and earlier.payer == payer for earlier in reversed(self.payments)):
            raise InvalidPaymentError(f"{payer} has paid for season {season} already")
        payment = Payment(season, payer, income, rate, income * rate // 100 if paid is None else paid)
        self.payments.append(payment)
        self.balances[payer] = self.balances.get(payer, 0) + income - payment.paid
        self.treasury += payment.paid
        return payment

    @property
    def is_balanced(self) -> bool:
        """True if the balances and the treasury together equal all incomes, and the treasury equals all payments."""
        earned, paid = sum(payment.income for payment in self.payments), sum(payment.paid for payment in self.payments)
        return self.treasury == paid and sum(self.balances.values()) + self.treasury == earned

    def tax_share(self, seasons: Iterable[int]) -> float:
        """Return the share of all income in these seasons that was paid as tax, 0 to 1; 0 without income."""
        chosen = set(seasons)
        payments = [payment for payment in self.payments if payment.season in chosen]
        earned = sum(payment.income for payment in payments)
        return sum(payment.paid for payment in payments) / earned if earned else 0.0
