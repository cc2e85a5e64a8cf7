"""`wavegrid bench`: runs the compiled benchmarks and shows what they measured.

For each: the options (`request`), the measurement, the tables (`show`).
`program` starts the compiled programs.
"""
