"""Write an input that grows: python3 growing.py {lih,polyethylene,silicon,spheres} NUMBER STEPS > FILE.toml.

`lih`: a chain of NUMBER atoms in functions optimised in spheres, with purification; `polyethylene`: NUMBER times C2H4,
the same; `silicon`: NUMBER^3 cells of 8 atoms, minimal functions as they begin, with purification; `spheres`: the same
crystal, functions optimised in spheres of 8 bohr, points 0.513 bohr apart. STEPS of the loop.
"""

import sys

MINIMAL = 'orbitals = {{ functions = "minimal", kernel = "purify", kernel_cutoff = {}, {} }}'
SPHERES = MINIMAL.format(1e-5, 'optimise = true, box_radius = "6 bohr"')
FCC = ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))
Atoms = list[tuple[str, float, float, float]]


def lih(number: int) -> tuple[list[float], Atoms, float, str]:
    """Atoms 3.2 bohr apart along z."""
    atoms = [("Li" if i % 2 == 0 else "H", 4.5, 4.5, 3.2 * i + 1.6) for i in range(number)]
    return [9, 9, 3.2 * number], atoms, 8, SPHERES


def polyethylene(number: int) -> tuple[list[float], Atoms, float, str]:
    """C2H4 of 4.8 bohr along x."""
    atoms: Atoms = []
    for i in range(2 * number):
        side = 1 if i % 2 == 0 else -1
        x, y = 2.4 * i + 1.2, 5.5 + 0.8 * side
        atoms += [("C", x, y, 5.5), ("H", x, y + 1.2 * side, 5.5 + 1.66), ("H", x, y + 1.2 * side, 5.5 - 1.66)]
    return [4.8 * number, 11, 11], atoms, 20, SPHERES


def silicon(number: int) -> tuple[list[float], Atoms, float, str]:
    """Cubes of 10.26 bohr."""
    sites = [
        (x + d, y + d, z + d) for d in (0, 0.25) for x, y, z in ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))
    ]
    cubes = [(i, j, k) for i in range(number) for j in range(number) for k in range(number)]
    atoms = [("Si", *(10.26 * (c + s) for c, s in zip(cube, site, strict=True))) for cube in cubes for site in sites]
    return (
        [10.26 * number] * 3,
        atoms,
        7,
        'orbitals = { functions = "minimal", radius = "6 bohr", kernel = "purify", kernel_cutoff = 1e-4 }',
    )


def spheres(number: int) -> tuple[list[float], Atoms, float, str]:
    """The crystal of `silicon`."""
    lengths, atoms, _, _ = silicon(number)
    points = f"grid = {[20 * number] * 3}\n"
    return lengths, atoms, 4.5, points + 'orbitals = { functions = "minimal", optimise = true, box_radius = "8 bohr" }'


KINDS = {"lih": lih, "polyethylene": polyethylene, "silicon": silicon, "spheres": spheres}
kind, number, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
lengths, atoms, ecut, orbitals = KINDS[kind](number)
rows = ",\n".join(f'  ["{element}", {x:.10g}, {y:.10g}, {z:.10g}]' for element, x, y, z in atoms)
print(f"""[structure]
cell = [[{lengths[0]:.10g}, 0, 0], [0, {lengths[1]:.10g}, 0], [0, 0, {lengths[2]:.10g}]]
unit = "bohr"
coordinates = "cartesian"
atoms = [
{rows}]
[basis]
ecut = "{ecut} Ha"
method = "local-orbitals"
{orbitals}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
[scf]
max_steps = {steps}
[output]
checkpoint = false""")
