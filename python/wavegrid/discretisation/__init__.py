"""The discretisation of a calculation, plane waves or a mesh in real space: all that differs between the two.

Only `choose` asks which one it is; the rest of the program calls the methods of what it returns. `base` lists what a
`Discretisation` knows of a problem, its figures and its result; `input` what the table [basis] of an input asks for.
"""
