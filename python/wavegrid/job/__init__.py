"""A checked calculation, before it runs.

- `prepare`: from an input that has been read to a `Job`, with all checks; `resume`: where it continues
- `job`: the data that the ranks get; `figures`, `time_estimate`: what a run of it would be
- `outputs`: which files it writes, and whether it may
"""
