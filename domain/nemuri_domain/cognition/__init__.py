"""An agent that perceives, thinks and acts at several speeds at once: shared state, modules, their scheduling (002)."""
