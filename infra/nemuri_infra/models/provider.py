"""The providers of language models. A provider is one file, which is registered as an entry point of its package."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, ClassVar, Final

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr

from nemuri_infra.models.chat import Chat

GROUP: Final = "nemuri.providers"
"""Group of the entry points. The name of an entry point is the name of the provider."""
PREFIX: Final = "NEMURI_"
"""Beginning of the names of environment variables."""
ModelName = Annotated[str, Field(min_length=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Provider(BaseModel):
    """A provider of language models: its settings, and the chats that it makes.

    Each field is a setting with a default, and its name begins with the provider's name. It is read from the
    environment variable of its first alias; without an alias, from `NEMURI_` and its name.
    """

    model_config = ConfigDict(frozen=True)

    reports_price: ClassVar[bool] = False
    """True if the usage of a reply has its price, so that budgets of money need no price list."""

    @property
    def has_key(self) -> bool:
        """True if the provider has an API key. It is then used without being chosen."""
        return False

    @property
    def lacks(self) -> str:
        """The settings that the provider needs and does not have; "" if it can be called."""
        return ""

    @abstractmethod
    def chosen_model(self, *, light: bool) -> str:
        """Return the name of the model for answers, or of the light model."""

    @abstractmethod
    def chat(self, model: str, timeout: float) -> Chat:
        """Return a chat with a model, whose calls take at most `timeout` seconds. No connection is opened."""


@cache
def installed_providers() -> Mapping[str, type[Provider]]:
    """Return the providers of all installed packages by name, in alphabetical order.

    Raises ValueError if one cannot be loaded or is no `Provider`, and if there is none at all.
    """
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    if not found:  # An installation from before the entry points would silently use no language model.
        raise ValueError(f"no package registers a provider of language models ({GROUP}); install nemuri again")
    return {entry.name: _load(entry) for entry in found}


def provider_variables() -> dict[str, str]:
    """Return the environment variables of all providers' settings, by the names of the settings."""
    kinds = installed_providers().values()
    return {name: variable for kind in kinds for name, variable in environment_variables(kind).items()}


def environment_variables(settings: type[BaseModel]) -> dict[str, str]:
    """Return the environment variables from which settings are read, in capitals, by the names of the settings."""
    found = dict[str, str]()
    for name, field in settings.model_fields.items():
        alias = field.validation_alias
        found[name] = str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"{PREFIX}{name}".upper()
    return found


def secret(key: SecretStr | None) -> str:
    """Return the key without outer white space; "" if there is none."""
    return key.get_secret_value().strip() if key else ""


def _load(entry: EntryPoint) -> type[Provider]:
    try:
        kind = entry.load()
    except Exception as error:
        raise ValueError(f"the provider {entry.name} cannot be loaded: {type(error).__name__}: {error}") from error
    if not (isinstance(kind, type) and issubclass(kind, Provider)):
        raise ValueError(f"the provider {entry.name} is no subclass of Provider")  # noqa: TRY004 - as above
    return kind
