"""Tests of values of the command line whose defaults come from the settings."""

import pytest

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import Session
from nemuri_contracts.client_events import Scope

SESSION = Session(None, json=False, verbose=False)


def test_the_settings_give_the_default_project_and_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks and questions take project and domains from the settings, unless an option of the command line gives
    them.
    """
    assert SESSION.setting(None, None) == (None, ())
    monkeypatch.setenv("NEMURI_PROJECT", "dinner")
    monkeypatch.setenv("NEMURI_DOMAINS", "food, drinks,")
    assert SESSION.setting(None, None) == ("dinner", ("food", "drinks"))
    assert SESSION.setting("lunch", ["salt"]) == ("lunch", ("salt",))


def test_a_memory_takes_its_scope_from_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory takes its scope from the settings: the project, or else the only domain. Several domains are ambiguous
    and refused.
    """
    assert SESSION.scope() == Scope()
    monkeypatch.setenv("NEMURI_DOMAINS", "food")
    assert SESSION.scope() == Scope(level="domain", name="food")
    monkeypatch.setenv("NEMURI_DOMAINS", "food,drinks")
    with pytest.raises(WrongUse, match="several domains"):
        SESSION.scope()
    assert SESSION.scope(None, "drinks") == Scope(level="domain", name="drinks")
    monkeypatch.setenv("NEMURI_PROJECT", "dinner")
    assert SESSION.scope() == Scope(level="project", name="dinner")
    with pytest.raises(WrongUse, match="not both"):
        SESSION.scope("dinner", "food")
