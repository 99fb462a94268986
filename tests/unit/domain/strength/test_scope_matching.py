"""Tests of scopes: the settings in which a memory is valid, and the scope of a new memory (document 003 §3.3).

A setting is the project and the domains of a task.
"""

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.client_events import Scope, Setting
from nemuri_domain.strength.scope_matching import scope_in, setting_of, valid

NAMES = st.sampled_from(["web", "shop", "bank"])
SETTINGS = st.builds(Setting, project=st.none() | NAMES, domains=st.lists(NAMES, max_size=3).map(tuple))
SCOPES = st.just(Scope()) | st.builds(Scope, level=st.sampled_from(["project", "domain"]), name=NAMES)


def test_a_scope_is_valid_under_its_name() -> None:
    """A universal memory is valid everywhere, and one of a project or domain under its name (document 003 §3.3)."""
    here = Setting(project="web", domains=("web", "shop"))
    scopes = [Scope(), Scope(level="project", name="web"), Scope(level="domain", name="shop")]

    assert [valid(scope, here) for scope in scopes] == [True, True, True]
    assert [valid(scope, Setting()) for scope in scopes] == [True, False, False]
    assert not valid(Scope(level="project", name="shop"), here)


def test_a_new_memory_has_the_narrowest_certain_scope_of_its_setting() -> None:
    """The scope of a new memory is the project of its setting, else its domain if there is exactly one, else
    universal.
    """
    assert scope_in(Setting(project="web", domains=("shop",))) == Scope(level="project", name="web")
    assert scope_in(Setting(domains=("shop", "shop"))) == Scope(level="domain", name="shop")
    assert scope_in(Setting(domains=("shop", "bank"))) == Scope()
    assert scope_in(Setting()) == Scope()


@for_any(SETTINGS)
def test_the_scope_of_a_setting_is_valid_there(setting: Setting) -> None:
    """A memory with the scope of a setting is valid in that setting. So a learning is retrieved where it was
    learned.
    """
    assert valid(scope_in(setting), setting)


@for_any(SCOPES)
def test_the_setting_of_a_scope_has_that_scope(scope: Scope) -> None:
    """A memory with a scope is valid in the setting that `setting_of` makes from this scope."""
    assert scope_in(setting_of(scope)) == scope
    assert valid(scope, setting_of(scope))
