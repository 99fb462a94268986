"""A client gets events of what is its own, and manages its own webhooks; the operator sees all."""

from uuid import uuid4

import pytest

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.strength import AgentSlept
from tests.integration.http_api.conftest import ApiPlatform, api
from tests.integration.webhooks.receiver import receiving, subscribed

pytestmark = pytest.mark.connected
__all__ = ["api"]
PUBLIC = "https://hooks.example.com/nemuri"


async def test_a_client_gets_events_of_its_own_tasks(api: ApiPlatform) -> None:
    """A client gets its tasks' events without their content, and no event of another client's task."""
    async with receiving() as receiver, receiving() as operators:
        kinds = ("task_submitted", "agent_slept", "memories_retrieved")
        await subscribed(api.settings, receiver.url, *kinds, owner="ann")
        webhook = await subscribed(api.settings, operators.url, *kinds, agent_id="python")
        log = api.resources.log
        foreign = TaskSubmitted(event_id=uuid4(), client_id="bob", text="What is a secret of Bob?", agent="python")
        own = foreign.model_copy(update={"event_id": uuid4(), "client_id": "ann"})
        for event in (foreign, own):
            await log.append(event)
        for agent in ("python", "other"):
            await log.append(AgentSlept(event_id=uuid4(), agent_id=agent, sessions=()))
        await receiver.got(4)
        tasks = {body["data"]["task_id"] for body in receiver.bodies} - {None}
        assert tasks == {str(own.event_id)}
        assert {"task_submitted", "agent_slept"} <= {body["type"] for body in receiver.bodies}
        assert all("event" not in body["data"] for body in receiver.bodies)
        await operators.got(4)
        told = operators.verified(webhook.secret)
        assert {body["data"]["task_id"] for body in told} - {None} == {str(foreign.event_id), str(own.event_id)}
        assert "other" not in {body["data"]["agent_id"] for body in told}
        assert any("secret of Bob" in str(body["data"]["event"]) for body in told)


async def test_webhooks_are_managed_over_http(api: ApiPlatform) -> None:
    """A client adds, sees and removes its own webhooks; another client sees none of them, the operator all."""
    added = await api.ann.post("webhooks", json={"url": PUBLIC, "kinds": ["task_completed"]})
    assert added.status_code == 201, added.text
    webhook = added.json()
    assert webhook["secret"].startswith("whsec_")
    place = f"webhooks/{webhook['webhook_id']}"
    assert added.headers["Location"] == f"/api/v1/{place}"
    shown = (await api.ann.get(place)).json()
    assert (shown["state"], shown["client_id"], "secret" in shown) == ("active", "ann", False)
    assert (await api.reader.get("webhooks")).json() == {"webhooks": []}
    assert len((await api.operator.get("webhooks")).json()["webhooks"]) == 1
    assert (await api.reader.get(place)).status_code == 404
    assert (await api.reader.delete(place)).status_code == 403
    assert (await api.ann.post(f"{place}/resume")).status_code == 409
    assert (await api.ann.delete(place)).status_code == 204
    assert (await api.ann.delete(place)).status_code == 404


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"url": "http://127.0.0.1:80/", "allow_private": True}, "only the operator may allow private addresses"),
        ({"url": "https://127.0.0.1/"}, "127.0.0.1 is a private address"),
        ({"url": "http://hooks.example.com/"}, "write it as https://HOST/PATH"),
        ({"kinds": ["event_parked"]}, "only the operator gets events of the kind event_parked"),
        ({"kinds": ["no_such_kind"]}, "there is no kind of event 'no_such_kind'"),
        ({"kinds": []}, "kinds: at least 1"),
    ],
)
async def test_a_wrong_webhook_is_refused_in_one_line(api: ApiPlatform, wanted: dict[str, object], why: str) -> None:
    """A webhook that its client may not have is refused in one line, and nothing is stored."""
    refused = await api.ann.post("webhooks", json={"url": PUBLIC, "kinds": ["task_completed"]} | wanted)
    assert refused.status_code in {409, 422}
    detail = refused.json()["detail"]
    assert why in detail
    assert "\n" not in detail
    assert (await api.operator.get("webhooks")).json() == {"webhooks": []}


async def test_the_number_of_webhooks_is_limited(api: ApiPlatform) -> None:
    """A client can have twenty webhooks, and is told so at the next one."""
    for _ in range(20):
        assert (await api.ann.post("webhooks", json={"url": PUBLIC, "kinds": ["agent_slept"]})).status_code == 201
    refused = await api.ann.post("webhooks", json={"url": PUBLIC, "kinds": ["agent_slept"]})
    assert (refused.status_code, "remove one first" in refused.json()["detail"]) == (409, True)
