"""Webhooks in a backup: their subscriptions with their secrets, and how far they were sent."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from nemuri.operations.session import OperationError
from nemuri_contracts.codec import validation_message
from nemuri_contracts.event import Value
from nemuri_contracts.webhooks import WebhookProgress, WebhookSubscription
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.private_files import write_private
from nemuri_infra.stores.webhooks import WebhookStore

FILE: Final = "webhooks.json"
WEBHOOKS: Final = "webhooks"
"""Title of this part of a restore."""
RESTORED: Final = "restored from a backup, so that no copy of a platform sends anything unasked"


class SavedWebhook(Value):
    """A webhook in a backup."""

    subscription: WebhookSubscription
    progress: WebhookProgress | None

    def paused(self) -> "SavedWebhook":
        """Return the webhook as it is restored: paused, at the last event that was sent.

        The log of a restore has other sequences, so the place is told by the time of that event.
        """
        known = self.progress or WebhookProgress(after=0)
        since = known.until or self.subscription.since
        stopped = {"after": 0, "reason": RESTORED, "next_attempt": None, "resumed": self.subscription.resumed}
        state = "ended" if known.state == "ended" else "paused"
        return SavedWebhook(
            subscription=self.subscription.model_copy(update={"after": 0, "since": since}),
            progress=known.model_copy(update=stopped | {"state": state}),
        )


class SavedWebhooks(Value):
    """The file of the webhooks in a backup."""

    webhooks: tuple[SavedWebhook, ...]


@dataclass(frozen=True, slots=True)
class WebhooksRestore:
    """The webhooks that a restore writes. Webhooks that the namespace has already stay."""

    webhooks: tuple[SavedWebhook, ...]
    title: str = WEBHOOKS
    left_out: tuple[str, ...] = ()

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the ids of the webhooks."""
        return tuple(str(saved.subscription.webhook_id) for saved in self.webhooks)

    async def check(self, log: Log, *, repeated: bool) -> None:
        """Accept every namespace: a webhook contains no content of the log."""

    async def restore(self, log: Log) -> None:
        """Write the webhooks, paused. Replaces what an interrupted restore left of them."""
        store = WebhookStore(log)
        for saved in map(SavedWebhook.paused, self.webhooks):
            if saved.progress is not None:
                await store.put_progress(saved.subscription.webhook_id, saved.progress)
            await store.put(saved.subscription)


class WebhookBackup:
    """The part of the webhooks in backups."""

    def owns(self, file: str) -> bool:
        """Return True for the file of the webhooks."""
        return file == FILE

    async def back_up(self, log: Log, directory: Path) -> list[str]:
        """Write the webhooks into a directory, and return the name of the file; none without webhooks."""
        store = WebhookStore(log)
        saved = [
            SavedWebhook(subscription=webhook, progress=await store.progress(webhook.webhook_id))
            for webhook in await store.all()
        ]
        if not saved:
            return []
        write_private(directory / FILE, SavedWebhooks(webhooks=tuple(saved)).model_dump_json())
        return [FILE]

    def plan_restore(self, directory: Path, files: Iterable[str], gone: Container[str]) -> WebhooksRestore:  # noqa: ARG002 - webhooks contain no words of agents
        """Return the webhooks of a checked backup. Raises `OperationError` for an invalid file."""
        if FILE not in files:
            return WebhooksRestore(())
        try:
            found = SavedWebhooks.model_validate_json((directory / FILE).read_bytes())
        except OSError as error:
            raise OperationError(f"{directory / FILE} cannot be read: {error.strerror}") from error
        except ValidationError as error:
            raise OperationError(f"{directory / FILE}: {validation_message(error)}") from error
        return WebhooksRestore(found.webhooks)
