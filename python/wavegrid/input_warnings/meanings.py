"""The warnings on inputs and results by name, with when they are given: the table of docs/input.md."""

WARNINGS = {
    "atoms_too_close": "distances below 0.65 (in a molecule 0.57) of the sum of covalent radii: often the wrong unit",
    "atoms_too_far": "all distances above 1.6 of the sum of covalent radii",
    "cell_free_along_vacuum": "a relaxation whose cell changes along vacuum; the warning names the `strain` that "
    "keeps it",
    "cell_narrow_for_free_boundary": "plane waves with a free direction along which electrons fill more than half of "
    "the cell",
    "kpoints_gamma_alone": "Gamma alone in a crystal that needs more k-points",
    "kpoints_coarse": "k-points farther apart than 0.27/bohr with smearing, 0.35/bohr without, along a direction "
    "without vacuum",
    "kpoints_without_symmetry": "a mesh that rotations of the crystal do not map onto itself (a shifted mesh of an "
    "fcc, bcc or hexagonal lattice, unequal counts in a cubic one); the warning names a mesh that has the symmetry",
    "kpoints_of_another_symmetry": "an `irreducible` list whose weights do not fit the symmetry of the crystal: the "
    "list of another crystal, or of this one before its atoms were moved",
    "cutoff_too_low": "the energy of an atom is wrong by more than 3 mHa per valence electron",
    "cutoff_far_too_low": "by more than 30 mHa",
    "density_cutoff": "`density_ecut` below 0.7 of what ultrasoft and PAW datasets need; above that a note",
    "pseudopotential_functional": "a potential of an LDA in a GGA calculation or the reverse; for two different GGAs "
    "it is a note",
    "spin_left_out": "no spin with an odd number of electrons in a molecule, a free atom with unpaired electrons, O2 "
    'and the like, Cr, Mn, Fe, Co, Ni, and rare earths with f electrons; a note with `spin = "none"`',
    "metal_with_fixed_occupations": "metallic elements only, and no smearing",
    "smearing_wide": "more than 0.5 eV",
    "charged_slab": "a charge in a slab or wire, whose energy grows with the vacuum; for other charged cells there is "
    "a note",
    "force_tolerance_below_error": "`[scf] energy_tolerance` too coarse for the `force_tolerance` of a relaxation",
    "gap_closed_with_fixed_occupations": "after the run: an empty level below an occupied one, or less than 1e-4 Ha "
    "above; only where bands are empty",
    "moment_limited_by_bands": "after the run: fixed occupations, a free moment, and the highest band of a spin stays "
    "full; where `bands` is left out only if no steps were left to add some",
    "relaxation_ended_above_its_start": "the last energy, under pressure the enthalpy, is above the first one",
    "dynamics_heated_up": "the temperature exceeded 20 times the one asked for and that of the start, and 6000 K",
    "energy_of_dynamics_not_conserved": "the conserved energy changed by more than half of the largest kinetic energy",
    "equation_of_state_without_minimum": "the minimum lies outside the volumes",
    "equation_of_state_with_forces": "a force of more than 0.02 eV/Angstrom acts on an atom, whose fractional "
    "coordinates stay",
    "elastic_constants_under_stress": "the cell without strain has a stress above 1 GPa",
    "strained_cells_not_relaxed": "`max_steps` were not enough for the atoms of a strained cell",
    "crystal_not_stable": "an eigenvalue of the elastic constants is not positive",
    "phonons_of_unrelaxed_atoms": "a force above 0.02 eV/Angstrom acts without displacement",
    "imaginary_frequencies": "a frequency of phonons is imaginary, above 0.1 THz",
    "vibrations_of_unrelaxed_atoms": "a force above 0.02 eV/Angstrom acts without displacement",
    "vibrations_on_a_coarse_mesh": "the egg-box effect may change a frequency by more than 100/cm",
    "plot_not_drawn": "the plotting library failed; the numbers of the plot are in `result.json`",
}


def table() -> list[str]:
    """Return all warnings as lines of Markdown."""
    return ["| warning | when |", "|---|---|", *(f"| `{name}` | {when} |" for name, when in WARNINGS.items())]
