"""Where a memory is valid, and which scope something has that came about in a setting (document 003 §3.3)."""

from typing import assert_never

from nemuri_contracts.client_events import Scope, Setting


def valid(scope: Scope, setting: Setting) -> bool:
    """Whether what holds in the scope holds in the setting (document 003 §3.3)."""
    match scope.level:
        case "universal":
            return True
        case "project":
            return scope.name == setting.project
        case "domain":
            return scope.name in setting.domains
        case _:
            assert_never(scope.level)


def scope_in(setting: Setting) -> Scope:
    """The scope of what came about in a setting: its project; without one its domain, if it is exactly one.

    Universal otherwise: of several domains nothing says which one it belongs to. This is how document 003 §5's
    `default_scope_level="project"` maps: the narrowest scope that the setting names for certain.
    """
    if setting.project is not None:
        return Scope(level="project", name=setting.project)
    names = set(setting.domains)
    return Scope(level="domain", name=names.pop()) if len(names) == 1 else Scope()


def setting_of(scope: Scope) -> Setting:
    """The narrowest setting in which the scope is valid."""
    named = (scope.name,) if scope.name else ()
    return Setting(domains=named) if scope.level == "domain" else Setting(project=scope.name)
