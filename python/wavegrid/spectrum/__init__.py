"""`wavegrid spectrum`: what a propagation in time after a kick says of frequencies.

- `response`: the Fourier transform with its window; `absorption`: molecules, `dielectric`: solids
- `command`: from directories to a table and a plot
"""
