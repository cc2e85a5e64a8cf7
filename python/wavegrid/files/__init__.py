"""The files of a run: whether one can be read, is of a kind, is locked; written at once or not at all; trajectories."""
