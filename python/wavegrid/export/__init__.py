"""Densities and checkpoints in the formats of other programs."""
