"""`wavegrid report`: a result as one HTML file that needs no other.

- `build`: the page; `sections`: one function for each section; `structure`: that of the structure; `plots`: its plots
- `html`: escaping, tables
"""
