"""Names of the files in the folder of a run."""

RESULT = "result.json"
CHECKPOINT = "checkpoint.h5"
EXTXYZ = "result.extxyz"
TRAJECTORY = "trajectory.extxyz"
POTENTIAL_PLOT = "potential.png"
POTENTIAL_TABLE = "potential.csv"
PHONOPY = "phonopy.yaml"
BANDS_TABLE = "bands.csv"
DOS_TABLE = "dos.csv"
BORN_FIELDS = "born.json"  # what of a response is done
HUBBARD_RESPONSE = "hubbard-u.json"  # the same of the response of shells
ANISOTROPY = "anisotropy.json"  # the same of magnetic moments in several directions
STM_PLOT = "stm.png"
SURFACE = ("surface.csv", "surface.ply")
CORE_CHARGE = "AECCAR0"
CASIDA = "casida.csv"
PROPAGATION = "propagation.csv"
STATE = "propagation.h5"
VASP = ("chgcar", "locpot")  # formats with one file for all components
