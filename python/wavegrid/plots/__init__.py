"""All plots, and nothing else that needs matplotlib: one module per subject.

`files` checks and writes them, `axes` scales their axes.
"""
