"""The chemical elements: names, covalent radii, moments of free atoms, masses. A run does not import ASE for them.

Covalent radii: B. Cordero et al., Dalton Trans. 2008, 2832, 10.1039/b801115j; 2 angstrom where unknown. Moments: those
of the ground states of free atoms as ASE has them; 0 from Lr on. Masses are those of ASE.
"""

from typing import NamedTuple


class Element(NamedTuple):
    """One element."""

    number: int
    name: str
    covalent_radius: float  # angstrom
    moment: float  # of the free atom, electrons up minus down
    mass: float  # amu


_TABLE = """
H:Hydrogen:0.31:1:1.008 He:Helium:0.28:0:4.003 Li:Lithium:1.28:1:6.94 Be:Beryllium:0.96:0:9.012 B:Boron:0.84:1:10.81
C:Carbon:0.76:2:12.011 N:Nitrogen:0.71:3:14.007 O:Oxygen:0.66:2:15.999 F:Fluorine:0.57:1:18.998 Ne:Neon:0.58:0:20.18
Na:Sodium:1.66:1:22.99 Mg:Magnesium:1.41:0:24.305 Al:Aluminium:1.21:1:26.982 Si:Silicon:1.11:2:28.085
P:Phosphorus:1.07:3:30.974 S:Sulfur:1.05:2:32.06 Cl:Chlorine:1.02:1:35.45 Ar:Argon:1.06:0:39.948
K:Potassium:2.03:1:39.098 Ca:Calcium:1.76:0:40.078 Sc:Scandium:1.7:1:44.956 Ti:Titanium:1.6:2:47.867
V:Vanadium:1.53:3:50.941 Cr:Chromium:1.39:6:51.996 Mn:Manganese:1.39:5:54.938 Fe:Iron:1.32:4:55.845
Co:Cobalt:1.26:3:58.933 Ni:Nickel:1.24:2:58.693 Cu:Copper:1.32:1:63.546 Zn:Zinc:1.22:0:65.38 Ga:Gallium:1.22:1:69.723
Ge:Germanium:1.2:2:72.63 As:Arsenic:1.19:3:74.922 Se:Selenium:1.2:2:78.971 Br:Bromine:1.2:1:79.904
Kr:Krypton:1.16:0:83.798 Rb:Rubidium:2.2:1:85.468 Sr:Strontium:1.95:0:87.62 Y:Yttrium:1.9:1:88.906
Zr:Zirconium:1.75:2:91.224 Nb:Niobium:1.64:5:92.906 Mo:Molybdenum:1.54:6:95.95 Tc:Technetium:1.47:5:97.907
Ru:Ruthenium:1.46:4:101.07 Rh:Rhodium:1.42:3:102.906 Pd:Palladium:1.39:0:106.42 Ag:Silver:1.45:1:107.868
Cd:Cadmium:1.44:0:112.414 In:Indium:1.42:1:114.818 Sn:Tin:1.39:2:118.71 Sb:Antimony:1.39:3:121.76
Te:Tellurium:1.38:2:127.6 I:Iodine:1.39:1:126.904 Xe:Xenon:1.4:0:131.293 Cs:Caesium:2.44:1:132.905
Ba:Barium:2.15:0:137.327 La:Lanthanum:2.07:1:138.905 Ce:Cerium:2.04:1:140.116 Pr:Praseodymium:2.03:3:140.908
Nd:Neodymium:2.01:4:144.242 Pm:Promethium:1.99:5:144.913 Sm:Samarium:1.98:6:150.36 Eu:Europium:1.98:7:151.964
Gd:Gadolinium:1.96:8:157.25 Tb:Terbium:1.94:5:158.925 Dy:Dysprosium:1.92:4:162.5 Ho:Holmium:1.92:3:164.93
Er:Erbium:1.89:2:167.259 Tm:Thulium:1.9:1:168.934 Yb:Ytterbium:1.87:0:173.054 Lu:Lutetium:1.87:1:174.967
Hf:Hafnium:1.75:2:178.49 Ta:Tantalum:1.7:3:180.948 W:Tungsten:1.62:4:183.84 Re:Rhenium:1.51:5:186.207
Os:Osmium:1.44:4:190.23 Ir:Iridium:1.41:3:192.217 Pt:Platinum:1.36:2:195.084 Au:Gold:1.36:1:196.967
Hg:Mercury:1.32:0:200.592 Tl:Thallium:1.45:1:204.38 Pb:Lead:1.46:2:207.2 Bi:Bismuth:1.48:3:208.98
Po:Polonium:1.4:2:208.982 At:Astatine:1.5:1:209.987 Rn:Radon:1.5:0:222.018 Fr:Francium:2.6:1:223.02
Ra:Radium:2.21:0:226.025 Ac:Actinium:2.15:1:227.028 Th:Thorium:2.06:2:232.038 Pa:Protactinium:2:3:231.036
U:Uranium:1.96:4:238.029 Np:Neptunium:1.9:5:237.048 Pu:Plutonium:1.87:6:244.064 Am:Americium:1.8:7:243.061
Cm:Curium:1.69:8:247.07 Bk:Berkelium:2:5:247.07 Cf:Californium:2:4:251.08 Es:Einsteinium:2:4:252.083
Fm:Fermium:2:2:257.095 Md:Mendelevium:2:1:258.098 No:Nobelium:2:0:259.101 Lr:Lawrencium:2:0:262.11
Rf:Rutherfordium:2:0:267.122 Db:Dubnium:2:0:268.126 Sg:Seaborgium:2:0:271.134 Bh:Bohrium:2:0:270.133
Hs:Hassium:2:0:269.134 Mt:Meitnerium:2:0:278.156 Ds:Darmastadtium:2:0:281.165 Rg:Roentgenium:2:0:281.166
Cn:Copernicium:2:0:285.177 Nh:Nihonium:2:0:286.182 Fl:Flerovium:2:0:289.19 Mc:Moscovium:2:0:289.194
Lv:Livermorium:2:0:293.204 Ts:Tennessine:2:0:293.208 Og:Oganesson:2:0:294.214
"""  # symbol:name:radius:moment:mass by atomic number


def _read() -> dict[str, Element]:
    rows = (row.split(":") for row in _TABLE.split())
    return {row[0]: Element(z, row[1], float(row[2]), float(row[3]), float(row[4])) for z, row in enumerate(rows, 1)}


ELEMENTS = _read()  # by symbol, H to Og
