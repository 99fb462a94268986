"""The science: folds, decisions and laws."""
