"""The chemical elements: names, covalent radii, moments of free atoms. A run does not import ASE for them.

Covalent radii: B. Cordero et al., Dalton Trans. 2008, 2832, 10.1039/b801115j; 2 angstrom where unknown. Moments: those
of the ground states of free atoms as ASE has them; 0 from Lr on.
"""

from typing import NamedTuple


class Element(NamedTuple):
    """One element."""

    number: int
    name: str
    covalent_radius: float  # angstrom
    moment: float  # of the free atom, electrons up minus down


_TABLE = """
H:Hydrogen:0.31:1 He:Helium:0.28:0 Li:Lithium:1.28:1 Be:Beryllium:0.96:0 B:Boron:0.84:1 C:Carbon:0.76:2
N:Nitrogen:0.71:3 O:Oxygen:0.66:2 F:Fluorine:0.57:1 Ne:Neon:0.58:0 Na:Sodium:1.66:1 Mg:Magnesium:1.41:0
Al:Aluminium:1.21:1 Si:Silicon:1.11:2 P:Phosphorus:1.07:3 S:Sulfur:1.05:2 Cl:Chlorine:1.02:1 Ar:Argon:1.06:0
K:Potassium:2.03:1 Ca:Calcium:1.76:0 Sc:Scandium:1.7:1 Ti:Titanium:1.6:2 V:Vanadium:1.53:3 Cr:Chromium:1.39:6
Mn:Manganese:1.39:5 Fe:Iron:1.32:4 Co:Cobalt:1.26:3 Ni:Nickel:1.24:2 Cu:Copper:1.32:1 Zn:Zinc:1.22:0
Ga:Gallium:1.22:1 Ge:Germanium:1.2:2 As:Arsenic:1.19:3 Se:Selenium:1.2:2 Br:Bromine:1.2:1 Kr:Krypton:1.16:0
Rb:Rubidium:2.2:1 Sr:Strontium:1.95:0 Y:Yttrium:1.9:1 Zr:Zirconium:1.75:2 Nb:Niobium:1.64:5 Mo:Molybdenum:1.54:6
Tc:Technetium:1.47:5 Ru:Ruthenium:1.46:4 Rh:Rhodium:1.42:3 Pd:Palladium:1.39:0 Ag:Silver:1.45:1 Cd:Cadmium:1.44:0
In:Indium:1.42:1 Sn:Tin:1.39:2 Sb:Antimony:1.39:3 Te:Tellurium:1.38:2 I:Iodine:1.39:1 Xe:Xenon:1.4:0
Cs:Caesium:2.44:1 Ba:Barium:2.15:0 La:Lanthanum:2.07:1 Ce:Cerium:2.04:1 Pr:Praseodymium:2.03:3 Nd:Neodymium:2.01:4
Pm:Promethium:1.99:5 Sm:Samarium:1.98:6 Eu:Europium:1.98:7 Gd:Gadolinium:1.96:8 Tb:Terbium:1.94:5
Dy:Dysprosium:1.92:4 Ho:Holmium:1.92:3 Er:Erbium:1.89:2 Tm:Thulium:1.9:1 Yb:Ytterbium:1.87:0 Lu:Lutetium:1.87:1
Hf:Hafnium:1.75:2 Ta:Tantalum:1.7:3 W:Tungsten:1.62:4 Re:Rhenium:1.51:5 Os:Osmium:1.44:4 Ir:Iridium:1.41:3
Pt:Platinum:1.36:2 Au:Gold:1.36:1 Hg:Mercury:1.32:0 Tl:Thallium:1.45:1 Pb:Lead:1.46:2 Bi:Bismuth:1.48:3
Po:Polonium:1.4:2 At:Astatine:1.5:1 Rn:Radon:1.5:0 Fr:Francium:2.6:1 Ra:Radium:2.21:0 Ac:Actinium:2.15:1
Th:Thorium:2.06:2 Pa:Protactinium:2:3 U:Uranium:1.96:4 Np:Neptunium:1.9:5 Pu:Plutonium:1.87:6 Am:Americium:1.8:7
Cm:Curium:1.69:8 Bk:Berkelium:2:5 Cf:Californium:2:4 Es:Einsteinium:2:4 Fm:Fermium:2:2 Md:Mendelevium:2:1
No:Nobelium:2:0 Lr:Lawrencium:2:0 Rf:Rutherfordium:2:0 Db:Dubnium:2:0 Sg:Seaborgium:2:0 Bh:Bohrium:2:0
Hs:Hassium:2:0 Mt:Meitnerium:2:0 Ds:Darmastadtium:2:0 Rg:Roentgenium:2:0 Cn:Copernicium:2:0 Nh:Nihonium:2:0
Fl:Flerovium:2:0 Mc:Moscovium:2:0 Lv:Livermorium:2:0 Ts:Tennessine:2:0 Og:Oganesson:2:0
"""  # symbol:name:radius:moment by atomic number


def _read() -> dict[str, Element]:
    rows = (row.split(":") for row in _TABLE.split())
    return {row[0]: Element(z, row[1], float(row[2]), float(row[3])) for z, row in enumerate(rows, 1)}


ELEMENTS = _read()  # by symbol, H to Og
