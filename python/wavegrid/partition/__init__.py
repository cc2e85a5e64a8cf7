"""Partitions of plane waves and meshes: how even they are, messages, plots. `wavegrid partition`."""
