"""`wavegrid spectrum`: what a propagation in time after a kick or in a pulse says of frequencies.

- `response`: the Fourier transform with its window; `absorption`: molecules, `dielectric`: solids
- `harmonics`: what is emitted in a pulse
- `command`: from directories to a table and a plot
"""
