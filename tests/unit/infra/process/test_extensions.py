"""Extensions are found by their entry points, and the core works without any."""

from collections.abc import Iterator
from functools import partial
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from nemuri_contracts.subjects import Subjects
from nemuri_infra.process.extensions import GROUP, Extension, extensions, parts
from nemuri_infra.runtime.extension_stores import extension_stores
from nemuri_infra.runtime.permissions import Permissions
from nemuri_infra.runtime.storage_limits import SHARES, limits, streams
from nemuri_services.service_registry import SERVICES, users

OTHER = Extension(name="other", prompts="nowhere", failures="builtins:BLE")


def _same(value: object) -> object:
    return value


def _entry_points(found: list[object], group: str) -> list[SimpleNamespace]:
    assert group == GROUP
    return [SimpleNamespace(load=partial(_same, each)) for each in found]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Return a list of the values of the installed entry points, which is empty at first."""
    found: list[object] = []
    monkeypatch.setattr("importlib.metadata.entry_points", partial(_entry_points, found))
    for cached in (extensions, users):
        cached.cache_clear()
    yield found
    for cached in (extensions, users):
        cached.cache_clear()


def test_the_society_is_an_extension() -> None:
    """The package of the society has an entry point, and all its references resolve."""
    [society] = [extension for extension in extensions() if extension.name == "society"]
    names = ("commands", "failures", "stores", "operator_rights", "settings", "pages", "backup", "erasure")
    assert all(getattr(society, name) is not None and list(parts(name)) for name in names)
    assert users().keys() - SERVICES.keys() == {"host", "world"}
    assert [users()[name].name for name in society.processes] == list(society.processes)


def test_the_core_works_without_extensions(installed: list[object]) -> None:
    """Without extensions there are the services, streams and roles of the core only."""
    assert installed == []
    assert extensions() == ()
    assert extension_stores("n") == ()
    assert users().keys() == SERVICES.keys()
    assert streams(Subjects("n")).keys() == SHARES.keys()
    roles = Permissions(Subjects("n"), users()).roles()
    assert roles.keys() == SERVICES.keys() | {"operator", "importer", "eraser", "provisioner"}


def test_the_shares_of_storage_add_up_to_at_most_the_limit() -> None:
    """The limits of all streams, those of extensions included, are at most the limit of the storage."""
    assert sum(limits(Subjects("n"), 2**30).values()) <= 2**30


def test_a_part_is_imported_when_it_is_needed(installed: list[object]) -> None:
    """A wrong reference does no harm until the part is asked for."""
    installed.append(OTHER)
    assert extensions() == (OTHER,)
    assert list(parts("pages")) == []
    with pytest.raises(AttributeError, match="BLE"):
        list(parts("failures"))


def test_another_value_of_an_entry_point_is_refused(installed: list[object]) -> None:
    """An entry point with another value raises an error that names the group."""
    installed.append(EntryPoint("x", "y", "z"))
    with pytest.raises(TypeError, match=GROUP):
        extensions()
