"""Handing over memories from one agent to another."""

from uuid import UUID

from nemuri.client.exchange import ClientError, Exchange, validated
from nemuri.client.idempotency_keys import append_once, event_id_of
from nemuri_contracts.colleague_views import HandoverView
from nemuri_contracts.colleagues import HandoverRequested, HandoverWish
from nemuri_contracts.queries import HandoverPlanQuery, HandoverQuery

MAX_STALLED_QUERIES = 60
"""Number of queries about a handover, about 2 seconds each, after which the client gives up."""


async def hand_over(
    exchange: Exchange, receiver: str, wish: HandoverWish, *, dry_run: bool, key: str | UUID | None = None
) -> HandoverView:
    """Return what one agent passes on to another. Unless it is a dry run, wait until the receiver can recall it.

    Raises `ClientError` if one of the agents or the task is unknown, or if the memories are not passed on in time.
    """
    if dry_run:
        return await exchange.ask(HandoverPlanQuery, HandoverView, agent_id=receiver, wish=wish)
    request_id = event_id_of(exchange, key, "handover", receiver)
    event = validated(HandoverRequested, event_id=request_id, agent_id=receiver, wish=wish)
    await append_once(exchange, event, key)
    for _ in range(MAX_STALLED_QUERIES):
        view = await exchange.ask(HandoverQuery, HandoverView, agent_id=receiver, request_id=request_id)
        if view.refused is not None:
            raise ClientError(view.refused)
        if not view.pending:
            return view
    raise ClientError("the handover is in the log, but not finished yet; see `nemuri status`")
