"""Providers of language models are entry points: those of this package, and those of any other."""

import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from pydantic import ValidationError

from nemuri_infra.models import provider
from nemuri_infra.models.factory import build_models
from nemuri_infra.models.provider import GROUP, Provider, installed_providers, provider_variables
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.runtime.settings import Settings

PROJECT = Path(__file__).parents[4] / "pyproject.toml"
ECHO = '''
from nemuri_infra.models.provider import Provider
from tests.unit.infra.models.test_prompted import Parrot

class EchoProvider(Provider):
    """A provider that needs a word."""

    echo_word: str = ""

    @property
    def has_key(self):
        return bool(self.echo_word)

    @property
    def lacks(self):
        return "" if self.echo_word else "echo_word"

    def chosen_model(self, *, light):
        return "light" if light else "main"

    def chat(self, model, timeout):
        return Parrot(self.echo_word)
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package with the provider `echo`, and yield its directory."""
    about = tmp_path / "nemuri_echo-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: nemuri-echo\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\necho = nemuri_echo:EchoProvider\n")
    (tmp_path / "nemuri_echo.py").write_text(ECHO)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "nemuri_echo", raising=False)
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    installed_providers.cache_clear()
    yield tmp_path
    installed_providers.cache_clear()


def test_every_provider_of_this_package_is_registered() -> None:
    """The file of the project names each provider, and the settings of each begin with its name."""
    table: dict[str, str] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"][GROUP]
    registered = {name: EntryPoint(name, path, GROUP).load() for name, path in table.items()}
    ours = {kind for kind in Provider.__subclasses__() if kind.__module__.startswith("nemuri_infra.")}
    assert set(registered.values()) == ours
    for name, kind in registered.items():
        assert all(setting.startswith(f"{name}_") for setting in kind.model_fields), name
    assert installed_providers() == registered, "install the package again: its entry points changed"


@pytest.mark.usefixtures("installed")
async def test_a_provider_of_another_package_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider brings its settings and their variables, and is used by default once it has its key."""
    assert provider_variables()["echo_word"] == "NEMURI_ECHO_WORD"
    assert ModelSettings().chosen == ("extractive",)
    monkeypatch.setenv("NEMURI_ECHO_WORD", "hello")
    settings = Settings().model_settings()
    assert settings.chosen == ("echo",)
    models = build_models(settings)
    assert models.main.name == "parrot:1"
    await models.aclose()
    with pytest.raises(ValidationError, match="the provider echo needs echo_word"):
        ModelSettings(providers=("echo",))


def test_given_settings_of_a_provider_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting that a program gives counts more than the environment variable, as with all other settings."""
    monkeypatch.setenv("NEMURI_ASSISTANT_MODEL", "opus")
    chosen = {"providers": "assistant", "assistant_light_model": "tiny"}
    [assistant] = Settings.model_validate(chosen).model_settings().called
    assert assistant.chosen_model(light=False) == "opus"
    assert assistant.chosen_model(light=True) == "tiny"
    assert Settings(providers="assistant", assistant_model="haiku").model_settings().called != [assistant]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"providers": ("nobody",)}, "there is no provider nobody; there are anthropic, assistant, openai, extractive"),
        ({"echo_word": "x"}, "no installed provider has the setting echo_word"),
        ({"assistant_call_budget": -1}, "greater than 0"),
    ],
)
def test_a_wrong_setting_is_named(given: dict[str, object], message: str) -> None:
    """An unknown provider, an unknown setting and a value out of range are errors of the settings."""
    with pytest.raises(ValidationError, match=message):
        ModelSettings.model_validate(given)


def test_an_installation_without_entry_points_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that was installed before it had providers is named, instead of using no language model silently."""
    installed_providers.cache_clear()
    monkeypatch.setattr(provider, "entry_points", lambda **_: ())
    with pytest.raises(ValidationError, match="install nemuri again"):
        ModelSettings()


@pytest.mark.parametrize(("code", "message"), [("1 / 0", "ZeroDivisionError"), ("EchoProvider = 3", "no subclass")])
def test_a_broken_provider_is_named(installed: Path, code: str, message: str) -> None:
    """A provider that cannot be loaded, or is none, is an error of one line that names it."""
    (installed / "nemuri_echo.py").write_text(code)
    with pytest.raises(ValidationError, match=f"the provider echo .*{message}"):
        ModelSettings()
