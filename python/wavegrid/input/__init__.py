"""From an input file to the problem that the C++ core solves.

Names, defaults, ranges and meanings of all keys stand in `models` alone: the JSON schema for editors (`schema`), the
tables of docs/input.md, the messages of `document` and the settings of the core follow from it.

- `document`: reads the file; every mistake becomes one message with file and line (`locate`)
- `structure`, `electrons`, `kpoints`, `kpath`, `pseudopotentials`, `groups`: one part of the input each
- `structure_file`: reads a file by ASE or `cif`; `compressed`, `xyz_rows` and `unexpanded` check what ASE ignores
- `libraries`: the file of an element in a folder or library; `library_folders` and `library_files` recognise them;
  `dataset_libraries`: those of ultrasoft potentials and PAW datasets
- `basis`: what each discretisation makes of [basis]; `features`: what does not combine

`job/prepare.py` puts all together.
"""
