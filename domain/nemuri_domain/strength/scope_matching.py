"""Scopes: validity of a memory in a task's setting, and the scope of a new memory (document 003 §3.3)."""

from typing import assert_never

from nemuri_contracts.client_events import MemoryContent, Scope, Setting


def valid(scope: Scope, setting: Setting) -> bool:
    """Return True if a memory of this scope is valid in the setting (document 003 §3.3)."""
    match scope.level:
        case "universal":
            return True
        case "project":
            return scope.name == setting.project
        case "domain":
            return scope.name in setting.domains
        case _:
            assert_never(scope.level)


def valid_in(memory: MemoryContent, setting: Setting) -> bool:
    """Return True if a memory is valid in the setting: its scope is, and it belongs to nobody or to its person."""
    return memory.person in {None, setting.person} and valid(memory.scope, setting)


def scope_in(setting: Setting) -> Scope:
    """Return the scope of a memory created in a setting: the project, else the domain if there is exactly one, else
    universal.

    One of several domains cannot be chosen. This implements `default_scope_level="project"` of document 003 §5: the
    narrowest scope that the setting determines.
    """
    if setting.project is not None:
        return Scope(level="project", name=setting.project)
    names = set(setting.domains)
    return Scope(level="domain", name=names.pop()) if len(names) == 1 else Scope()


def setting_of(scope: Scope) -> Setting:
    """Return the narrowest setting in which the scope is valid."""
    named = (scope.name,) if scope.name else ()
    return Setting(domains=named) if scope.level == "domain" else Setting(project=scope.name)
