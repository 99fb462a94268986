"""Tiered memory: experiences are recorded, consolidated, forgotten, and come to each module's mind in its own way."""
