"""An affective mind: what is felt, what fades, what comes back."""
