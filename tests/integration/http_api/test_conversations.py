"""Conversations over HTTP: hand one over, and get what was learned."""

import pytest

from tests.integration.harness import assert_verified
from tests.integration.http_api.conftest import ApiPlatform

pytestmark = pytest.mark.connected


async def test_a_conversation_is_handed_over_once(api: ApiPlatform) -> None:
    """The answer has the facts of the turns that are new, and counts what was left out."""
    moved, sister = "I moved to Bergen in May.", "My sister lives in Oslo."
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "name": "Ann", "content": moved}, sister]
    sent = await api.ann.post("agents/python/conversations/chat", json={"messages": messages})
    assert sent.status_code == 201, sent.text
    learned = sent.json()
    assert (learned["new_turns"], learned["left_out"]) == (2, {"system message": 1})
    assert [fact["memory"]["content"] for fact in learned["facts"]] == [moved, sister]
    again = await api.ann.post("agents/python/conversations/chat", json={"messages": messages})
    assert (again.json()["new_turns"], again.json()["facts"]) == (0, [])
    await assert_verified(api.settings)


@pytest.mark.parametrize(
    ("agent", "body", "status"),
    [
        ("python", {"messages": []}, 422),
        ("python", {"messages": [{"role": "narrator", "content": "Once upon a time"}]}, 409),
        ("nobody", {"messages": ["Hi there"]}, 404),
    ],
)
async def test_what_is_no_conversation_is_refused(
    api: ApiPlatform, agent: str, body: dict[str, object], status: int
) -> None:
    """The problem says in one line what is wrong."""
    sent = await api.ann.post(f"agents/{agent}/conversations/chat", json=body)
    assert (sent.status_code, "detail" in sent.json()) == (status, True), sent.text
