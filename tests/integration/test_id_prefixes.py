"""Ids are found by their first digits."""

from uuid import UUID

import pytest

from nemuri.client.exchange import ClientError
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import connected_client, running_services

pytestmark = pytest.mark.connected
KEYS = tuple(UUID(f"1c0ffee{last}-0000-4000-8000-00000000000{last}") for last in "12")


async def test_unique_first_digits_name_an_id(settings: Settings) -> None:
    """The first digits of a task's id are accepted if they are unique. Ambiguous, unknown and too short ones are
    refused.
    """
    async with running_services(settings, ("query-api", "projector")), connected_client(settings) as client:
        for key in KEYS:
            await client.submit("What is a truth value?", key=key)
        assert [await client.whole_id("task", str(key)[:8]) for key in KEYS] == [*KEYS]
        assert await client.whole_id("task", KEYS[0].hex[:12]) == KEYS[0]
        assert await client.whole_id("task", str(KEYS[1])) == KEYS[1]
        with pytest.raises(ClientError, match=r"^task 1c0ffee matches 2; give more of its id$"):
            await client.whole_id("task", "1C0FFEE")
        with pytest.raises(ClientError, match=r"^there is no task whose id begins with 1c0ffee3$"):
            await client.whole_id("task", "1c0ffee3")
        with pytest.raises(ClientError, match=r"^there is no memory whose id begins with 1c0ffee1$"):
            await client.whole_id("memory", "1c0ffee1")
        with pytest.raises(ClientError, match="at least its first 6 digits"):
            await client.whole_id("task", "1c0ff")
