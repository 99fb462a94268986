"""The modules of an agent, one file each. The controller is beside this folder (document 002 §1.3)."""
