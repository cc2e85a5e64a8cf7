"""Names of the files in the folder of a run."""

RESULT = "result.json"
CHECKPOINT = "checkpoint.h5"
EXTXYZ = "result.extxyz"
TRAJECTORY = "trajectory.extxyz"
POTENTIAL_PLOT = "potential.png"
PROPAGATION = "propagation.csv"
STATE = "propagation.h5"
