"""Fixture that keeps all model calls on this machine, even if the environment names proxies."""

import pytest

from nemuri_infra.models import network_guard


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Permit model calls to the loopback only, and let them bypass proxies."""
    monkeypatch.setattr(network_guard, "ALLOW_MODEL_CALLS", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
