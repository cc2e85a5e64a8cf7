"""`wavegrid report`: a result as one HTML file that needs no other.

- `build`: the page; `sections`: one function for each section; `pictures`: plots as images in the page
- `html`: escaping, tables
"""
