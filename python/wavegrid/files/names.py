"""Names of the files in the folder of a run."""

RESULT = "result.json"
CHECKPOINT = "checkpoint.h5"
EXTXYZ = "result.extxyz"
TRAJECTORY = "trajectory.extxyz"
POTENTIAL_PLOT = "potential.png"
STM_PLOT = "stm.png"
PROPAGATION = "propagation.csv"
