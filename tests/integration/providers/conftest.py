"""No call leaves this machine, whatever the environment says about proxies."""

import pytest

from nemuri_infra.models import network_guard


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls to models are switched off but for loopback, and loopback is reached directly."""
    monkeypatch.setattr(network_guard, "ALLOW_MODEL_CALLS", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
