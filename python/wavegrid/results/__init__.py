"""What a run writes: result.json and further files.

- `report`: content of result.json, tables on the screen
- `bands`, `dos`, `derivatives`, `advice`, ...: further parts, as `rank/products.py` puts them together
- `result_warnings`: warnings that only the numbers of a result allow
- `window`: the energies that plots of bands and densities of states show
"""
