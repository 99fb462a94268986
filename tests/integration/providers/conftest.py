"""Fixture that keeps every call on this machine, regardless of proxies in the environment."""

import pytest

from nemuri_infra.models import network_guard


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forbid model calls except to the loopback, and bypass proxies for it."""
    monkeypatch.setattr(network_guard, "ALLOW_MODEL_CALLS", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
