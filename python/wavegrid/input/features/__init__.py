"""What the program can do, which of it does not combine, and the refusals: docs/features.md is made of this.

`capabilities` names what an input may ask for, `refusals` the pairs that are refused, with the words that the user
reads. `check` issues the refusals. tests/features.toml says which test shows which capabilities together.
"""
