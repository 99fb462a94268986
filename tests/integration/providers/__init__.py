"""The providers' clients against a server on loopback that speaks their wire formats."""
