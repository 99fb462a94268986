"""The outcomes of offered memories and requested changes: which are not decided yet, and which are refused."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Self
from uuid import UUID

from nemuri_contracts.affective import TurnRemembered
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import RefusedOffer, RememberedView
from nemuri_contracts.principles import PrincipleDecided
from nemuri_contracts.strength import MemoryAmended, MemoryEncoded, MemoryRefused
from nemuri_contracts.tiered import ExperienceRecorded
from nemuri_infra.runtime.resources import Resources

OUTCOMES = tuple(
    kind.kind_of()
    for kind in (MemoryEncoded, MemoryAmended, PrincipleDecided, ExperienceRecorded, TurnRemembered, MemoryRefused)
)
"""Kinds of the events that decide an offer. The last one is a refusal, the others accept it."""


@dataclass(slots=True)
class OfferOutcomes:
    """The offers of one query. An offer that is decided once is not looked up again."""

    pending: dict[UUID, tuple[UUID, ...]]
    """Ids of the possible outcomes of each undecided offer, in the order of `OUTCOMES`."""
    refused: list[UUID] = field(default_factory=list)

    @classmethod
    def of(cls, offers: Iterable[UUID]) -> Self:
        """Return the offers with these ids, all of them undecided."""
        return cls({offer: tuple(derive(offer, kind) for kind in OUTCOMES) for offer in offers})

    async def update(self, resources: Resources) -> None:
        """Find the offers that the projections show as decided by now. An erased offer counts as refused."""
        self._decide(await resources.views.projected_ids(chain.from_iterable(self.pending.values())))
        if self.pending:
            gone = await resources.views.erased_of(self.pending)
            self._decide({outcomes[-1] for offer, outcomes in self.pending.items() if offer in gone})

    async def view(self, resources: Resources) -> RememberedView:
        """Return the undecided offers in the order of the query, and the refused ones with their reasons."""
        reasons = dict[UUID | None, str]()
        if self.refused:
            refusals = [derive(offer, MemoryRefused.kind_of()) for offer in self.refused]
            for sequence in await resources.views.sequences_of(refusals):
                if isinstance(event := await resources.log.at(sequence), MemoryRefused):
                    reasons[event.causation_id] = event.reason
        refused = (RefusedOffer(offer=offer, reason=reasons.get(offer, "it was erased")) for offer in self.refused)
        return RememberedView(pending=tuple(self.pending), refused=tuple(refused))

    def _decide(self, happened: set[UUID]) -> None:
        """Remove the offers with an outcome in `happened` from the undecided ones, and note the refused ones."""
        for offer, outcomes in [pending for pending in self.pending.items() if not happened.isdisjoint(pending[1])]:
            del self.pending[offer]
            if outcomes[-1] in happened:
                self.refused.append(offer)
