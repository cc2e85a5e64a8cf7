"""What a run writes: result.json and further files.

- `report`: content of result.json, tables on the screen
- `products`: calls `bands`, `dos`, `density`, `derivatives`, `advice` as the input asks for them
- `result_warnings`: warnings that only the numbers of a result allow
- `window`: the energies that plots of bands and densities of states show
- `store`: writes files at once or not at all
- `outputs`, `kinds`: which existing files a run may replace; `lock`: one run at a time in a directory
"""
