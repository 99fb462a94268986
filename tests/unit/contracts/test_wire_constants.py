"""What hooks spell by themselves is what the contracts say."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from nemuri_contracts.event import Identifier
from nemuri_contracts.wire_constants import is_identifier

NAMES: TypeAdapter[str] = TypeAdapter(Identifier)


@given(st.text() | st.text("aZ09_-é²", max_size=66))
def test_a_name_is_one_for_both(text: str) -> None:
    """With and without pydantic."""
    try:
        NAMES.validate_python(text)
    except ValidationError:
        assert not is_identifier(text)
    else:
        assert is_identifier(text)
