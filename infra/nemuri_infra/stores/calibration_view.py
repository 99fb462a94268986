"""Presenter of the calibration of an embedder."""

from nemuri_contracts.memory_views import CalibrationView
from nemuri_infra.stores.vectors import Vectors


def calibration_view(vectors: Vectors) -> CalibrationView:
    """Return how the vectors of a calibrated store are compared."""
    calibration, thresholds = vectors.comparing.calibration, vectors.thresholds
    return CalibrationView(
        source=calibration.source,
        sample=calibration.sample,
        centre=calibration.length,
        scale=calibration.scale,
        relevance=thresholds.relevance,
        recall=thresholds.recall,
        same=thresholds.same,
    )
