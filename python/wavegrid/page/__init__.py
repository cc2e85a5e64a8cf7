"""`wavegrid report`: a result as one HTML file that needs no other.

- `build`: the page; `sections`: one function for each section; `plots`: its plots
- `html`: escaping, tables
"""
