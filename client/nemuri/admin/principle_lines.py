"""Lines about the principles of an agent that are in no prompt."""

from collections.abc import Iterator

from nemuri_contracts.health_views import AgentHealth


def principle_lines(health: AgentHealth) -> Iterator[str]:
    """Yield a line that says how many principles a prompt has room for, and a line for each that is left out."""
    if health.principles_left_out:
        number, places = len(health.principles_left_out), health.principle_places
        yield (
            f"a prompt has room for {places} principles (principles_share × top_k_results, both in the policy), "
            f"the organisation's and then the strongest; {number} {'is' if number == 1 else 'are'} left out:"
        )
        yield from (f"  {text}" for text in health.principles_left_out)
