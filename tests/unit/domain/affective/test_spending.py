"""What language models spend on an agent's memories in a day, folded from the events."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.event import Usage
from nemuri_domain.affective.aggregate import DaySpending
from nemuri_domain.affective.fold import fold
from tests.unit.domain.affective.turns import AGENT, compressed, defined, fresh, remembered

MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)
READ = Usage(model="assistant:haiku", input_tokens=900, output_tokens=100, money=0.01)
UNPRICED = Usage(model="local", input_tokens=50)
ONE, TWO = UUID(int=1), UUID(int=2)


def spent(*events: tuple[AnyAgentEvent, float]) -> DaySpending:
    """Return the agent's spending after these events, each with the hours after the morning at which it was stored."""
    stored = [
        each.model_copy(update={"sequence": number, "recorded_at": MORNING + timedelta(hours=hours)})
        for number, (each, hours) in enumerate(((defined(), 0), *events), 1)
    ]
    agent = fold(stored).agent
    assert agent is not None
    return agent.spent


def test_the_calls_of_a_day_add_up() -> None:
    """Readings and compressions of one day add up: tokens, known prices, and a model without a price."""
    found = spent((remembered(ONE, usage=READ), 1), (compressed(ONE, usage=UNPRICED), 2), (remembered(TWO), 3))
    assert found == DaySpending(day=date(2026, 3, 1), tokens=1_050, money=0.01, unpriced="local")


def test_a_new_day_begins_at_zero() -> None:
    """The first call of a new day, UTC, starts from zero. Nothing is counted for a later day without calls."""
    found = spent((remembered(ONE, usage=READ), 1), (remembered(TWO, usage=UNPRICED), 15))
    assert found == DaySpending(day=date(2026, 3, 2), tokens=50, unpriced="local")
    assert found.since(date(2026, 3, 1)) == found.since(date(2026, 3, 2)) == found
    assert found.since(date(2026, 3, 3)) == DaySpending()


def test_an_erasure_leaves_no_trace_in_the_spending() -> None:
    """An erasure removes the day's spending, so that a log without the erased events folds to the same."""
    erased = MemoriesErased(event_id=fresh("erased"), agent_id=AGENT, memory_ids=(ONE,))
    with_it = spent((remembered(ONE, usage=READ), 1), (erased, 2), (remembered(TWO, usage=READ), 3))
    assert with_it == spent((remembered(TWO, usage=READ), 3))
    assert spent((remembered(ONE), 1), (erased, 2), (compressed(ONE, usage=READ), 3)) == DaySpending()
