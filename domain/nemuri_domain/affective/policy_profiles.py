"""Named sets of parameters of affective memory for different uses of an agent."""

from types import MappingProxyType
from typing import Any, Final

from nemuri_domain.affective.policy import AffectPolicy

_CODING: Final[dict[str, Any]] = {
    "retention": {
        "decay_by_category": {"work": {"min": 0.92, "max": 0.96}, "decision": {"min": 0.95, "max": 0.98}},
    },
    "levels": {"level1_threshold": 18, "level2_threshold": 9, "level3_threshold": 4},
    "compression": {"enforced_from": 5_000},
}
"""The sessions of a coding assistant are about work, with an intensity of about 33. With the thresholds of document
001, such a memory would leave level 1 in its first night. With the thresholds above, it keeps its whole text for a
week, a summary for ten more nights, and keywords for another ten. The ratios are enforced from the number of memories
at which the share of level 1 holds a week of sessions.
"""

DOCUMENT: Final = "document"
CODING: Final = "coding"
PROFILES: Final = MappingProxyType({CODING: AffectPolicy.model_validate(_CODING), DOCUMENT: AffectPolicy()})
"""The sets of parameters by name. `document` has the parameters of document 001."""
