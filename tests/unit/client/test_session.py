"""What the command line takes from the settings where it is told nothing."""

import pytest

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import Session
from nemuri_contracts.client_events import Scope

SESSION = Session(None, json=False, verbose=False)


def test_the_settings_give_a_project_and_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tasks and questions, each for itself; what the command line says wins."""
    assert SESSION.setting(None, None) == (None, ())
    monkeypatch.setenv("NEMURI_PROJECT", "dinner")
    monkeypatch.setenv("NEMURI_DOMAINS", "food, drinks,")
    assert SESSION.setting(None, None) == ("dinner", ("food", "drinks"))
    assert SESSION.setting("lunch", ["salt"]) == ("lunch", ("salt",))


def test_a_memory_is_valid_in_what_the_settings_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the project before the domain; several domains leave open which, so they are refused."""
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
