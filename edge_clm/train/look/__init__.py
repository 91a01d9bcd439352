"""Training of the residual look."""
