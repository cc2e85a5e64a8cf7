"""Bad inputs that need more than one wrong value: texts that are not TOML, files, structures, keys that contradict."""

from collections.abc import Iterator

from bad_inputs import ATOMS, CELL, EXTXYZ, WITHOUT_INLINE, Case, Special, document, line_of

ESCAPE = "\x1b[31mred\x1b[0m"
GOOD = document({})
SPECIAL = {kind: kind.name.lower() for kind in Special}


def every() -> Iterator[Case]:
    """Yield all cases."""
    for group in (texts, encodings, kinds_of_files, crystals, structure_files, pseudopotential_files, contradictions,
                  kpoints, timelines, arguments):  # fmt: skip
        yield from group()


def texts() -> Iterator[Case]:
    """Yield texts that are not TOML, or TOML of another shape; the mistake stands behind the good input."""
    last = GOOD.count("\n") + 1
    for name, text in {
        "open text": 'x = "abc',
        "open list": "x = [1, 2",
        "open table": "x = { a = 1",
        "open header": "[scf",
        "open array header": "[[scf]",
        "open long text": 'x = """abc',
        "no value": "x =",
        "no equals": "x",
        "no key": "= 1",
        "bare text": "x = abc",
        "two values": "x = 1 2",
        "bad escape": 'x = "\\q"',
        "bad code point": 'x = "\\ud800"',
        "leading zero": "x = 012",
        "two underscores": "x = 1__0",
        "two points": "x = 1.2.3",
        "comma first": "x = [,1]",
        "month 13": "x = 2026-13-01",
        "hour 25": "x = 25:00:00",
        "null byte": "x = 1\0",
        "escape code": f"x = {ESCAPE}",
        "escape code in a text": f'x = "{ESCAPE}"',
        "escape code as key": f"{ESCAPE} = 1",
        "delete": "x = 1\x7f",
        "json": '{"scf": 1}',
        "yaml": "scf:\n  max_steps: 3",
        "html": "<html></html>",
        "fortran": "&control\n calculation = 'scf'\n/",
        "section twice": "[basis]",
        "key twice": 'smearing.kind = "cold"',
        "table over a value": "xc.a = 1",
        "windows path": 'x = "C:\\users\\me"',
    }.items():
        yield Case(f"text {name}", f"{GOOD}{text}\n", words=("not valid TOML",))
    deep = 600
    for name, text, line in (
        ("lists", f"x = {'[' * deep}{']' * deep}", last),
        ("lists on many lines", "x = " + "[\n" * deep + "]\n" * deep, last + 50),
        ("tables", "x = " + "{ a = " * deep + "1" + " }" * deep, last),
        ("lists, fewer", f"x = {'[' * 60}{']' * 60}", last),
        ("a dotted key", f"{'a.' * 5000}b = 1", last),
        ("a dotted header", f"[{'a.' * 5000}b]", last),
    ):
        yield Case(f"deep {name}", f"{GOOD}{text}\n", line, ("at most 50 levels",))
    for digits in (5000, 100_000):
        yield Case(f"{digits} digits", f"{GOOD}x = {'7' * digits}\n", last, ("more than 4000 digits",))
        yield Case(f"{digits} hexadecimal digits", f"bands = 0x{'7' * digits}\n{GOOD}", 1, ("unknown",))
    for name, text, words in (
        ("empty", "", "lacks 'structure'"),
        ("comments", "# nothing\n\n# here\n", "lacks 'structure'"),
        ("array of sections", GOOD.replace("[basis]", "[[basis]]"), "basis = "),
        ("section as list", "structure = [1]\n" + GOOD.partition("[basis]")[2], "structure"),
        ("all sections empty", "[structure]\n[basis]\n[electrons]\n", "lacks"),
        ("long title", f'title = "{"x" * 100_000}"\n{GOOD}', "characters long"),
        ("escape in title", f'title = "\\u001b[31m"\n{GOOD}', "cannot be printed"),
        ("null in title", f'title = "\\u0000"\n{GOOD}', "cannot be printed"),
        ("two lines in title", f'title = """a\nb"""\n{GOOD}', "cannot be printed"),
        ("direction mark in title", f'title = "a\u202eb"\n{GOOD}', "cannot be printed"),
        ("escape in a key", f'"\\u001b[31m" = 1\n{GOOD}', "unknown"),
        ("null in a path", document({"output.directory": '"a\\u0000b"'}), "cannot be printed"),
        ("long path", document({"output.directory": f'"{"a/" * 5000}"'}), "characters long"),
        ("long energy", document({"basis.ecut": f'"{"1" * 1_000_000}"'}), "not a number with a unit"),
    ):
        yield Case(f"content {name}", text, words=(words,))


def encodings() -> Iterator[Case]:
    """Yield bytes that are not UTF-8."""
    umlaut = f'title = "Zürich"\n{GOOD}'
    for name in ("latin-1", "utf-16", "utf-16-be", "utf-32", "cp037"):
        yield Case(f"encoding {name}", umlaut.encode(name))
    for name, text in {
        "cut": b"\xe2\x82",
        "overlong": b"\xc0\xaf",
        "surrogate": b"\xed\xa0\x80",
        "any": b"\xff\xfe\xfd",
    }.items():
        yield Case(f"bytes {name}", GOOD.encode() + b'x = "' + text + b'"\n', GOOD.count("\n") + 1, ("UTF-8",))
    yield Case("random bytes", bytes(range(255, -1, -1)) * 40)
    yield Case("byte order mark", b"\xef\xbb\xbf" + GOOD.encode(), valid=True)
    yield Case("lines of Windows", GOOD.replace("\n", "\r\n"), valid=True)
    yield Case("lines of old Macs", GOOD.replace("\n", "\r"))


def kinds_of_files() -> Iterator[Case]:
    """Yield inputs that are no regular files, for every command that reads one."""
    commands = (("check", "x"), ("run", "x"), ("partition", "x"), ("trace", "x"), ("checkpoint", "info", "x"),
                ("checkpoint", "verify", "x"), ("checkpoint", "export", "x", "--density", "cube"))  # fmt: skip
    for command in commands:
        for kind, name in SPECIAL.items():
            if kind is Special.HUGE and command[0] in ("trace", "checkpoint"):
                continue  # files of any size are possible
            yield Case(
                f"{' '.join(command[:2])} {name}", line=None, words=("x: ",), arguments=command, files={"x": kind}
            )
        if command[0] != "trace":
            yield Case(f"{' '.join(command[:2])} empty", line=0 if command[0] != "checkpoint" else None,
                       arguments=tuple("in.toml" if word == "x" else word for word in command))  # fmt: skip
        yield Case(f"{' '.join(command[:2])} long name", line=None,
                   arguments=tuple("y" * 5000 if word == "x" else word for word in command))  # fmt: skip
        yield Case(f"{' '.join(command[:2])} escape in the name", line=None, words=("\\x1b",),
                   arguments=tuple(ESCAPE if word == "x" else word for word in command))  # fmt: skip
    for command in (("compare", "x", "x"), ("compare", "x", "--input-for", "qe"), ("report", "x"),
                    ("plan", "x"), ("plan", "in.toml", "--network", "x.toml")):  # fmt: skip
        for kind, name in SPECIAL.items():
            if kind not in (Special.HUGE, Special.DIRECTORY):
                yield Case(f"{' '.join(command)} {name}", line=None, words=("x",), arguments=command,
                           files={"x": kind, "x.toml": kind})  # fmt: skip
    for kind, name in SPECIAL.items():
        for key in ("parallel.machine", "parallel.transports_file"):
            text = document({key: '"x"'})
            if (key, kind) != ("parallel.transports_file", Special.MISSING):  # the run makes one
                yield Case(f"{key} {name}", text, line_of(text, key), ("x",), files={"x": kind})
        text = document({**WITHOUT_INLINE, "structure.file": '"x"'})
        yield Case(f"structure {name}", text, line_of(text, "structure.file"), ("x",), files={"x": kind})
        text = document({"electrons.pseudopotentials": '{ Al = "x" }'})
        key = "electrons.pseudopotentials"
        yield Case(f"pseudopotential {name}", text, line_of(text, key), ("x",), files={"x": kind})
        if kind is not Special.HUGE:
            yield Case(f"restart {name}", GOOD, None, ("x: ",), ("run", "in.toml", "--restart", "x"), {"x": kind})
            yield Case(f"output {name}", GOOD, None, ("x",), ("run", "in.toml", "--output", "x/y"),
                       {"x": kind if kind is not Special.DIRECTORY else Special.PIPE})  # fmt: skip


def crystals() -> Iterator[Case]:
    """Yield cells and atoms that no calculation has."""
    for name, changes in {
        "flat cell": {"cell": "[[4,0,0],[0,4,0],[4,4,0]]"},
        "almost flat cell": {"cell": "[[4,0,0],[0,4,0],[4,4,1e-4]]"},
        "cell without a vector": {"cell": "[[4,0,0],[0,4,0],[0,0,0]]"},
        "two vectors": {"cell": "[[4,0,0],[0,4,0]]"},
        "cell of 1e100": {"cell": "[[1e100,0,0],[0,1e100,0],[0,0,1e100]]"},
        "cell of 1e6": {"cell": "[[1e6,0,0],[0,1e6,0],[0,0,1e6]]"},
        "cell of 1e4": {"cell": "[[1e4,0,0],[0,1e4,0],[0,0,1e4]]"},
        "cell of 1e-4": {"cell": "[[1e-4,0,0],[0,1e-4,0],[0,0,1e-4]]"},
        "cell of 1e-300": {"cell": "[[1e-300,0,0],[0,1e-300,0],[0,0,1e-300]]"},
        "long thin cell": {"cell": "[[90000,0,0],[0,4,0],[0,0,4]]"},
        "cell of zeros": {"cell": "[[0,0,0],[0,0,0],[0,0,0]]"},
        "cell of texts": {"cell": '[["4",0,0],[0,4,0],[0,0,4]]'},
        "cell with nan": {"cell": "[[nan,0,0],[0,4,0],[0,0,4]]"},
        "cell with inf": {"cell": "[[inf,0,0],[0,4,0],[0,0,4]]"},
        "cell with digits": {"cell": f"[[{'9' * 400},0,0],[0,4,0],[0,0,4]]"},
        "unknown element": {"atoms": '[["Xx",0,0,0]]'},
        "element in lower case": {"atoms": '[["al",0,0,0]]'},
        "element by name": {"atoms": '[["Aluminium",0,0,0]]'},
        "dummy element": {"atoms": '[["X",0,0,0]]'},
        "element with escape": {"atoms": '[["\\u001b[31mAl",0,0,0]]'},
        "no element": {"atoms": '[["",0,0,0]]'},
        "element by number": {"atoms": "[[13,0,0,0]]"},
        "two coordinates": {"atoms": '[["Al",0,0]]'},
        "four coordinates": {"atoms": '[["Al",0,0,0,0]]'},
        "coordinate as text": {"atoms": '[["Al","0",0,0]]'},
        "coordinate true": {"atoms": '[["Al",true,0,0]]'},
        "coordinate nan": {"atoms": '[["Al",nan,0,0]]'},
        "coordinate inf": {"atoms": '[["Al",0,-inf,0]]'},
        "coordinate 1e300": {"atoms": '[["Al",0,0,1e300]]'},
        "coordinate 1e5": {"atoms": '[["Al",0,0,1e5]]'},
        "coordinate with digits": {"atoms": f'[["Al",0,0,{"9" * 400}]]'},
        "no atoms": {"atoms": "[]"},
        "an atom twice": {"atoms": '[["Al",0,0,0],["Al",1,-2,3]]'},
        "atoms too close": {"atoms": '[["Al",0,0,0],["Al",0.01,0.99,0]]'},
        "an atom on its image": {"cell": "[[0.2,0,0],[0,4,0],[0,0,4]]", "atoms": '[["Al",0,0,0]]'},
        "supercell of 10000": {"supercell": "[10000,10000,10000]"},
        "supercell of 1e40": {"supercell": f"[1{'0' * 40},1,1]"},
        "supercell of too many": {"supercell": "[26000,1,1]"},
        "supercell of halves": {"supercell": "[1.5,1,1]"},
        "supercell of zero": {"supercell": "[0,1,1]"},
        "no unit": {"unit": None},
        "no coordinates": {"coordinates": None},
        "no cell": {"cell": None},
        "atoms missing": {"atoms": None},
        "cell and file": {"file": '"al.xyz"'},
        "frame without file": {"frame": "1"},
    }.items():
        text = document({f"structure.{key}": value for key, value in changes.items()})
        yield Case(f"crystal {name}", text)
    for name, value in {"1e6 Ha": '"1e6 Ha"', "9999 Ha in a large cell": '"9999 Ha"', "1e-9 Ha": '"1e-9 Ha"'}.items():
        changes = {"basis.ecut": value}
        if "cell" in name:
            changes |= {"structure.cell": "[[100,0,0],[0,100,0],[0,0,100]]"}
        yield Case(f"cutoff {name}", document(changes))
    for name, value in {
        "too small": "[3,3,3]",
        "too large": "[5000,5000,5000]",
        "of 50001": "[50001,30,30]",
        "with too large a plane": "[10000,2501,30]",
        "of halves": "[30.5,30,30]",
        "of two": "[30,30]",
        "one too small": "[30,2,30]",
    }.items():
        yield Case(f"grid {name}", document({"basis.grid": value}))


def structure_files() -> Iterator[Case]:
    """Yield structure files that ASE refuses, or reads in silence in another way than they were meant."""
    cif = CIF + "Al1 Al 0 0 0\nAl2 Al 0 0.5 0.5\n"
    poscar = "Al\n1.0\n4 0 0\n0 4 0\n0 0 4\nAl\n2\nDirect\n0 0 0\n0.5 0.5 0.5\n"
    for name, file, content in (
        ("short row", "a.cif", CIF + "Al1 Al 0 0 0\nAl2 Al 0 0.5\nAl3 Al 0.5 0 0.5\n"),
        ("long row", "a.cif", CIF + "Al1 Al 0 0 0\nAl2 Al 0 0.5 0.5 0.5\n"),
        ("a short row at the end", "a.cif", cif + "Al3 Al 0.5 0\n"),
        ("partly occupied", "a.cif", CIF + "_atom_site_occupancy\nAl1 Al 0 0 0 1\nAl2 Al 0 0.5 0.5 0.5\n"),
        ("no cell", "a.cif", cif.replace("_cell_length_a 4.05\n", "")),
        ("cell of 0", "a.cif", cif.replace("_cell_length_a 4.05", "_cell_length_a 0")),
        ("cell of nan", "a.cif", cif.replace("_cell_length_a 4.05", "_cell_length_a nan")),
        ("angle of 180", "a.cif", cif.replace("_cell_angle_alpha 90", "_cell_angle_alpha 180")),
        ("coordinate nan", "a.cif", cif.replace("0.5 0.5", "nan 0.5")),
        ("coordinate ?", "a.cif", cif.replace("0.5 0.5", "? 0.5")),
        ("unknown element", "a.cif", cif.replace("Al2 Al", "Xx2 Xx")),
        ("no atoms", "a.cif", CIF),
        ("cut", "a.cif", cif[:100]),
        ("not a cif", "a.cif", "no cif at all\n"),
        ("two blocks", "a.cif", cif + cif.replace("data_al", "data_other")),
        ("two structures", "a.xyz", EXTXYZ + EXTXYZ),
        ("two structures", "a.extxyz", EXTXYZ + EXTXYZ.replace("Al 0", "Al 1")),
        ("no cell", "a.xyz", "1\n\nAl 0 0 0\n"),
        ("count too large", "a.xyz", EXTXYZ.replace("1\n", "2\n", 1)),
        ("count too small", "a.xyz", EXTXYZ + "Al 2 2 2\n"),
        ("count negative", "a.xyz", EXTXYZ.replace("1\n", "-1\n", 1)),
        ("count of 1e18", "a.xyz", EXTXYZ.replace("1\n", "1000000000000000000\n", 1)),
        ("count not a number", "a.xyz", EXTXYZ.replace("1\n", "one\n", 1)),
        ("count zero", "a.xyz", EXTXYZ.replace("1\n", "0\n", 1)),
        ("position nan", "a.xyz", EXTXYZ.replace("Al 0", "Al nan")),
        ("position inf", "a.xyz", EXTXYZ.replace("Al 0", "Al inf")),
        ("position 1e300", "a.xyz", EXTXYZ.replace("Al 0", "Al 1e300")),
        ("position 1e9", "a.xyz", EXTXYZ.replace("Al 0", "Al 1e9")),
        ("two atoms, one nan", "a.xyz", EXTXYZ.replace("1\n", "2\n", 1) + "Al nan 2 2\n"),
        ("cell nan", "a.xyz", EXTXYZ.replace('"5 0', '"nan 0')),
        ("cell inf", "a.xyz", EXTXYZ.replace('"5 0', '"inf 0')),
        ("cell of 8 numbers", "a.xyz", EXTXYZ.replace('0 5"', '5"')),
        ("flat cell", "a.xyz", EXTXYZ.replace('0 0 5"', '5 5 0"')),
        ("cell of 1e100", "a.xyz", EXTXYZ.replace("5", "1e100")),
        ("escape in the element", "a.xyz", EXTXYZ.replace("Al", ESCAPE)),
        ("escape in the title", "a.xyz", EXTXYZ.replace("1\n", f"1\n{ESCAPE}", 1).replace("\nAl 0", "\nXx 0")),
        ("dummy atom", "a.xyz", EXTXYZ.replace("Al", "X")),
        ("close atoms", "a.xyz", EXTXYZ.replace("1\n", "2\n", 1) + "Al 0.1 0 0\n"),
        ("a line missing", "POSCAR", poscar.removesuffix("0.5 0.5 0.5\n")),
        ("scale 0", "POSCAR", poscar.replace("1.0", "0")),
        ("scale a text", "POSCAR", poscar.replace("1.0", "one")),
        ("count of 1e12", "POSCAR", poscar.replace("\n2\n", "\n1000000000000\n")),
        ("count negative", "POSCAR", poscar.replace("\n2\n", "\n-2\n")),
        ("unknown element", "POSCAR", poscar.replace("4\nAl", "4\nXx")),
        ("empty", "a.cif", ""),
        ("empty", "a.xyz", ""),
        ("empty", "POSCAR", ""),
        ("empty", "a.traj", ""),
        ("random bytes", "a.cif", bytes(range(256)) * 20),
        ("random bytes", "a.xyz", bytes(range(256)) * 20),
        ("random bytes", "a.traj", bytes(range(256)) * 20),
        ("random bytes", "a.xsf", bytes(range(256)) * 20),
        ("random bytes", "a.cube", bytes(range(256)) * 20),
        ("unknown kind", "a.nonsense", "x"),
        ("json", "a.json", "{}"),
        ("deep json", "a.json", "[" * 100_000),
        ("python", "a.py", "raise SystemExit\n"),
        ("cube of 1e15 points", "a.cube", "x\ny\n1 0 0 0\n100000 1 0 0\n100000 0 1 0\n100000 0 0 1\n13 0 0 0 0\n1.0\n"),
        ("xsf of nothing", "a.xsf", "CRYSTAL\nPRIMVEC\n"),
        ("pdb of nothing", "a.pdb", "HEADER\nEND\n"),
    ):  # fmt: skip
        yield _structure(f"structure file {file} {name}", {"structure.file": f'"{file}"'}, {file: content})
    yield _structure("structure file frame 3 of 2", {"structure.file": '"a.xyz"', "structure.frame": "3"},
                     {"a.xyz": EXTXYZ + EXTXYZ}, "structure.file")  # fmt: skip
    yield _structure("structure file name missing", {"structure.file": '"al.xzy"'}, {"al.xyz": EXTXYZ})
    yield _structure("structure file in a file", {"structure.file": '"in.toml/a.cif"'}, {})
    yield _structure("structure file of 100001 atoms", {"structure.file": '"a.xyz"'},
                     {"a.xyz": EXTXYZ.replace("1\n", "100001\n", 1) + "Al 1 1 1\n" * 100_000})  # fmt: skip


def _structure(name: str, changes: dict[str, str | None], files: dict, key: str = "structure.file") -> Case:
    text = document({**WITHOUT_INLINE, **changes})
    return Case(name, text, line_of(text, key), files=files)


CIF = (
    "data_al\n_cell_length_a 4.05\n_cell_length_b 4.05\n_cell_length_c 4.05\n_cell_angle_alpha 90\n"
    "_cell_angle_beta 90\n_cell_angle_gamma 90\n_symmetry_space_group_name_H-M 'P 1'\nloop_\n_atom_site_label\n"
    "_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n"
)


def pseudopotential_files() -> Iterator[Case]:
    """Yield choices of pseudopotentials that do not exist or do not fit, and files that are none."""
    for name, value in {
        "unknown table": '"gth-lad"',
        "unknown valence": '"gth-lda-q5"',
        "valence of 30 digits": f'"gth-lda-q{"9" * 30}"',
        "valence of 5000 digits": f'"gth-lda-q{"9" * 3000}"',
        "missing file": '{ Al = "no/such.upf" }',
        "missing entry": '{ Al = "in.toml:GTH-q3" }',
        "the input itself": '{ Al = "in.toml" }',
        "another element": '{ Li = "gth-lda" }',
        "no element": '{ Ai = "gth-lda" }',
        "escape": '{ Al = "\\u001b[31m" }',
        "null": '{ Al = "a\\u0000b" }',
        "empty": '{ Al = "" }',
        "empty table": "{}",
        "colon": '{ Al = ":" }',
        "number": "{ Al = 3 }",
        "nested": '{ Al = { file = "x" } }',
        "directory": '"."',
        "root": '"/"',
        "device": '"/dev/zero"',
        "long": f'"{"x" * 100_000}"',
    }.items():
        text = document({"electrons.pseudopotentials": value})
        yield Case(f"pseudopotentials {name}", text, line_of(text, "electrons.pseudopotentials"))
    text = document({"electrons.pseudopotentials": '{ Al = "x.upf" }'})
    for name, content in {
        "empty": "",
        "text": "hello\n",
        "bytes": bytes(range(256)) * 20,
        "not UTF-8": b"Al GTH-q3\n\xff\xfe\n",
        "xml": "<UPF version='2.0.1'></UPF>",
        "open xml": "<UPF version='2.0.1'><PP_HEADER element='Al'",
        "cut": "<UPF version='2.0.1'>\n<PP_HEADER element='Al' z_valence='3' mesh_size='10' number_of_proj='2'/>\n",
        "dashes": "H " + 60 * "-" + "\n",
        "escape": f"{ESCAPE} GTH\n",
        "electrons of 200": "Al q200\nelectrons 200\nlocal 0.45 -8.49\nend\n",
        "electrons of 200 by CP2K": "Al GTH-q200\n 100 100\n 0.45 1 -8.49\n 0\n",
        "ghost state": "Al q3\nelectrons 2 1\nlocal 0.45 -8.49\nnonlocal p 0.5 -90000\nend\n",
        "huge coupling": "Al q3\nelectrons 2 1\nlocal 0.45 -8.49\nnonlocal p 0.5 1e10\nend\n",
        "psp8 of 65536 projectors": "x\n13 3 260101\n8 11 1 4 600 0\n0 0 0\n65536 65536 0 0 0\n0\n",
    }.items():
        yield Case(
            f"pseudopotential file {name}", text, line_of(text, "electrons.pseudopotentials"), files={"x.upf": content}
        )


def contradictions() -> Iterator[Case]:
    """Yield keys that are right one by one and contradict each other."""
    one_al = {"structure.atoms": '[["Al",0,0,0]]'}
    fixed = {"electrons.smearing.kind": None, "electrons.smearing.width": None}
    collinear = {"electrons.spin": '"collinear"'}
    for name, changes in {
        "odd electrons": one_al | fixed,
        "fractional electrons": {"electrons.charge": "0.5"} | fixed,
        "too few bands": {"electrons.bands": "5"},
        "bands for a path without empty ones": {"electrons.bands": "6", "electrons.kpoints.path": '"GX"'} | fixed,
        "more bands than plane waves": {"electrons.bands": "99999"},
        "charge of all electrons": {"electrons.charge": "12"},
        "charge of more": {"electrons.charge": "100"},
        "charge of -1000": {"electrons.charge": "-1000"},
        "moments without spin": {"electrons.initial_magnetic_moments": "{ Al = 1 }"},
        "magnetisation without spin": {"electrons.total_magnetisation": "1"},
        "moment of another element": collinear | {"electrons.initial_magnetic_moments": "{ Fe = 1 }"},
        "moment of no element": collinear | {"electrons.initial_magnetic_moments": "{ Al = 1, Zz = 1 }"},
        "moment of 9": collinear | {"electrons.initial_magnetic_moments": "{ Al = 9 }"},
        "moment nan": collinear | {"electrons.initial_magnetic_moments": "{ Al = nan }"},
        "moments of three atoms": collinear | {"electrons.initial_magnetic_moments": "[1, 1, 1]"},
        "magnetisation of 13": collinear | {"electrons.total_magnetisation": "13"},
        "magnetisation of 1 with fixed occupations": collinear | {"electrons.total_magnetisation": "1"} | fixed,
        "smearing without width": {"electrons.smearing.width": None},
        "smearing without kind": {"electrons.smearing.kind": None},
        "unknown functional": {"electrons.xc": '"LDA_XC_TETER"'},
        "functional with escape": {"electrons.xc": '"PBE\\u001b[31m"'},
        "meta-GGA of the Laplacian": {"electrons.xc": '"MGGA_X_SCANL+MGGA_C_SCANL"'},
        "hybrid with a Yukawa potential": {"electrons.xc": '"HYB_GGA_XC_CAMY_B3LYP"'},
        "exchange twice": {"electrons.xc": '"LDA_X+LDA_X"'},
        "kinetic functional": {"electrons.xc": '"LDA_K_TF"'},
        "only plus": {"electrons.xc": '"++++"'},
        "rows without columns": {"parallel.rows": "2"},
        "columns without rows": {"parallel.columns": "2"},
        "rows of 100000": {"parallel.rows": "100000", "parallel.columns": "100000"},
        "more groups than ranks": {"parallel.kpoint_groups": "100000"},
        "groups that do not divide": {"parallel.band_groups": "3", "parallel.rows": "1", "parallel.columns": "1"},
        "deterministic and mixed": {"parallel.deterministic": "true", "scf.precision": '"mixed"'},
        "width without dos": {"task.width": '"1 eV"'},
        "points without dos": {"task.points": "10"},
        "dos of 1e9 points": {"task.kind": '"dos"', "task.points": "1000000000"},
        "checkpoint every 1e300 s": {"output.checkpoint.every": '"1e300 s"'},
        "checkpoint every 1e30 steps": {"output.checkpoint.every": '"1e30 steps"'},
        "checkpoint kept 1e9 times": {"output.checkpoint.keep": "1000000000"},
        "tolerance of 1e-30": {"scf.energy_tolerance": '"1e-30 Ha"'},
    }.items():
        yield Case(f"contradiction {name}", document(changes), arguments=("check", "in.toml", "--ranks", "2"))


def kpoints() -> Iterator[Case]:
    """Yield meshes, lists and paths that do not exist."""
    for name, changes in {
        "mesh and list": {"mesh": "[2,2,2]", "list": "[[0,0,0]]"},
        "shift without mesh": {"shift": "[0.5,0.5,0.5]"},
        "weights without list": {"weights": "[1]"},
        "points without path": {"points": "10"},
        "mesh of 1000": {"mesh": "[1000,1000,1000]"},
        "mesh of 4000": {"mesh": "[4000,1,1]"},
        "mesh of halves": {"mesh": "[2.5,1,1]"},
        "mesh of two": {"mesh": "[2,2]"},
        "shift of an irrational": {"mesh": "[2,2,2]", "shift": "[0.12345678901,0,0]"},
        "shift of 1e9": {"mesh": "[2,2,2]", "shift": "[1e9,0,0]"},
        "shift nan": {"mesh": "[2,2,2]", "shift": "[nan,0,0]"},
        "list far away": {"list": "[[5,0,0]]"},
        "list farther": {"list": "[[99,0,0]]"},
        "list of 1e9": {"list": "[[1e9,0,0]]"},
        "list of inf": {"list": "[[inf,0,0]]"},
        "list of two numbers": {"list": "[[0,0]]"},
        "list of nothing": {"list": "[]"},
        "fewer weights": {"list": "[[0,0,0],[0.5,0,0]]", "weights": "[1]"},
        "weights of zero": {"list": "[[0,0,0],[0.5,0,0]]", "weights": "[0,0]"},
        "weight below zero": {"list": "[[0,0,0],[0.5,0,0]]", "weights": "[2,-1]"},
        "weight inf": {"list": "[[0,0,0],[0.5,0,0]]", "weights": "[inf,1]"},
        "unknown point": {"path": '"GXQ"'},
        "one point": {"path": '"G"'},
        "a point twice": {"path": '"GG"'},
        "no names": {"path": '",,,"'},
        "numbers": {"path": '"123"'},
        "lower case": {"path": '"gx"'},
        "escape": {"path": '"G\\u001b[31mX"'},
        "long path": {"path": f'"{"GX" * 5000}"'},
        "too few points": {"path": '"GXMGR"', "points": "3"},
        "1e6 points": {"path": '"GX"', "points": "1000000"},
        "1e40 points": {"path": '"GX"', "points": f"1{'0' * 40}"},
    }.items():
        text = document({f"electrons.kpoints.{key}": value for key, value in changes.items()})
        yield Case(f"kpoints {name}", text)
    text = document({"electrons.kpoints.list": "[[0,0,0]]", "symmetry.use": "true"})
    yield Case("kpoints list with symmetry", text, line_of(text, "symmetry.use"))


def timelines() -> Iterator[Case]:
    """Yield files that are no timeline of a run."""
    shell = '{"traceEvents": %s, "otherData": {"run": %s, "clock": %s, "traffic": %s, ' + (
        '"max_events_per_rank": 1, "lost_events": []}}'
    )
    hosts = '{"hosts": 1}'
    for name, text in {
        "empty": "",
        "a number": "1",
        "a list": "[]",
        "an object": "{}",
        "deep": "[" * 100_000,
        "digits": "9" * 10_000,
        "events of numbers": shell % ("[1, 2]", "{}", hosts, "[]"),
        "a run of a text": shell % ("[]", '"x"', hosts, "[]"),
        "no hosts": shell % ("[]", "{}", "{}", "[]"),
        "traffic of texts": shell % ('[{"name": "process_name", "pid": 0, "ph": "M"}]', "{}", hosts, '["abcd"]'),
        "a rank as text": shell % ('[{"name": "process_name", "pid": "x", "ph": "X"}]', "{}", hosts, "[]"),
        "not UTF-8": "\udcff",
    }.items():
        content = text.encode(errors="surrogateescape")
        yield Case(
            f"timeline {name}", "", None, ("t.json: is not a timeline",), ("trace", "t.json"), {"t.json": content}
        )


def arguments() -> Iterator[Case]:
    """Yield command lines."""
    digits = "9" * 5000
    for words, named in (
        *((("check", "in.toml", f"--ranks={text}"), "--ranks") for text in
          ("0", "-1", "1.5", "two", "", "3000000000", "1e9", "1000000000", digits, "0x10", ESCAPE, "1,2", " ")),
        *((("run", "in.toml", f"--threads={text}"), "--threads") for text in
          ("0", "-1", "x", "", "1000000000", "1025", digits)),
        *((("run", "in.toml", "--ranks", text), "--ranks") for text in ("50000", "100001")),
        *((("partition", "in.toml", f"--ranks={text}"), "--ranks") for text in ("1,,2", "", "1,x", "100001", digits)),
        (("partition", "in.toml", "--scheme", "gredy"), "'greedy'"),
        (("partition", "in.toml", "--plot", "x.doc"), "--plot"),
        (("partition", "in.toml", "--plot", "no/such/x.png"), "--plot"),
        (("run", "in.toml", "--output", ""), "--output"),
        (("run", "in.toml", "--output", ESCAPE), "--output"),
        (("run", "in.toml", "--output", "/proc/nowhere"), "/proc/nowhere"),
        (("run", "in.toml", "--output", "in.toml"), "in.toml"),
        (("run", "in.toml", "--trace", ""), "--trace"),
        (("run", "in.toml", "--trace", "in.toml"), "--trace"),
        (("run", "in.toml", "--restart", ""), "--restart"),
        (("run", "in.toml", "--restart", "in.toml"), "in.toml"),
        (("run", "in.toml", "--restart", "chekpoint.h5"), "chekpoint.h5"),
        (("chek", "in.toml"), "did you mean 'check'?"),
        (("check",), "FILE"),
        (("check", "in.toml", "in.toml"), "extra argument"),
        (("check", "in.toml", "--rank", "2"), "--ranks"),
        (("check", "in.toml", "--ranks"), "--ranks"),
        (("run", "in.toml", "--quiet=3"), "--quiet"),
        (("check", "in.toml", "--nonsense"), "--nonsense"),
        (("checkpoint", "inf", "x"), "did you mean 'info'?"),
        ((ESCAPE,), "\\x1b"),
        (("schema", "inputs"), "'input'"),
        (("schema", ESCAPE), "\\x1b"),
        (("checkpoint", "export", "in.toml"), "--density"),
        (("checkpoint", "export", "in.toml", "--density", "cub"), "'cube'"),
        (("checkpoint", "export", "in.toml", "--full", "x.h5"), "in.toml"),
        (("trace", "in.toml"), "in.toml"),
        (("trace", "in.toml", "--plot", "x.doc"), "--plot"),
        (("bench", "fft", "--case", "48:99"), "--case"),
        (("bench", "fft", "--ranks", "1000000000"), "--ranks"),
        (("bench", "fft", "--repeats", "0"), "--repeats"),
        (("bench", "transpose", "--ranks", "1"), "--ranks"),
        (("bench", "checkpoint", "--case", "x"), "--case"),
    ):  # fmt: skip
        yield Case(f"arguments {' '.join(words)[:60]}", GOOD, None, (named,), words)


assert CELL in GOOD and ATOMS in GOOD
