"""Forces and stress of a case with ABINIT and pw.x."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from cases import Case, abinit_derivatives_input, pwx_derivatives_input
from codes import energy_terms, execute, workplace

NUMBER = r"[-+]?\d+\.\d+(?:[EeDd][-+]\d+)?"


def numbers(text: str) -> list[float]:
    """All numbers with a point in them."""
    return [float(x.replace("D", "E")) for x in re.findall(NUMBER, text)]


def abinit_derivatives(name: str, case: Case) -> dict:
    """What ABINIT finds: its forces have no net force; its stress is (1/V) dF/d(strain)."""
    with workplace(name) as folder:
        (folder / "derivatives.abi").write_text(abinit_derivatives_input(case))
        execute(["abinit", "derivatives.abi"], folder)
        output = (folder / "derivatives.abo").read_text()
    last = re.findall(r"^ ETOT\s*(\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)", output, re.M)[-1]
    if float(last[3].replace("D", "E")) > 1e-20:
        raise SystemExit(f"ABINIT did not converge on {name}: residual {last[3]}")
    block = output.split("cartesian forces (hartree/bohr) at end:")[1].split("frms,max,avg=")
    forces = [numbers(line) for line in block[0].splitlines()[1:] if numbers(line)]
    assert len(forces) == len(case.atoms)
    block = output.split("Cartesian components of stress tensor (hartree/bohr^3)")[1].splitlines()[1:4]
    (xx, zy), (yy, zx), (zz, yx) = (numbers(line) for line in block)
    return {
        "code": "ABINIT",
        "version": re.search(r"\.Version\s+(\S+)\s+of ABINIT", output).group(1),
        "command": "abinit derivatives.abi",
        "free_energy_Ha": energy_terms(output)["free"],
        "forces_Ha_per_bohr": forces,
        "net_force_taken_off": numbers(block_after(output))[2:5],
        "stress_Ha_per_bohr3": [[xx, yx, zx], [yx, yy, zy], [zx, zy, zz]],
        "wave_function_residual": float(last[3].replace("D", "E")),
    }


def block_after(output: str) -> str:
    """The line about the forces' size and mean."""
    return output.split("cartesian forces (hartree/bohr) at end:")[1].split("frms,max,avg=")[1].splitlines()[0]


def pwx_derivatives(name: str, case: Case) -> dict:
    """What pw.x finds; its stress is turned to our sign."""
    with workplace(name) as folder:
        (folder / "derivatives.in").write_text(pwx_derivatives_input(case))
        stdout = execute(["pw.x", "-in", "derivatives.in"], folder)
        output = ElementTree.parse(folder / "out" / "x.save" / "data-file-schema.xml").find("output")
    forces = [float(x) for x in output.find("forces").text.split()]
    stress = [-float(x) for x in output.find("stress").text.split()]
    return {
        "version": re.search(r"PWSCF v\.(\S+)", stdout).group(1),
        "command": "pw.x -in derivatives.in",
        "free_energy_Ha": float(output.find("total_energy").find("etot").text),
        "forces_Ha_per_bohr": [forces[i : i + 3] for i in range(0, len(forces), 3)],
        "stress_Ha_per_bohr3": [stress[i : i + 3] for i in range(0, len(stress), 3)],
    }
