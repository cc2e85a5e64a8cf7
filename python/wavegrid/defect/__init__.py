"""Charged defects: corrections of the energy of a charged supercell, from the potentials of two runs.

- `model_charge`: a charge in a dielectric, with its images and background, and alone
- `runs`: what two runs say of a defect: where it is, and the potentials far from it
- `command`: what `wavegrid defect` computes and prints
"""
