"""Hooks, which do not import pydantic, use the same constants as the contracts."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from nemuri_contracts.event import Identifier
from nemuri_contracts.wire_constants import is_identifier

NAMES: TypeAdapter[str] = TypeAdapter(Identifier)


@given(st.text() | st.text("aZ09_-é²", max_size=66))
def test_hooks_and_contracts_accept_the_same_names(text: str) -> None:
    """The check of a name without pydantic accepts exactly the names that pydantic accepts."""
    try:
        NAMES.validate_python(text)
    except ValidationError:
        assert not is_identifier(text)
    else:
        assert is_identifier(text)
