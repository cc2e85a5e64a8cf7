"""The content of result.json as classes: names, types and meanings of all its keys, declared once.

What the core returns, what the program adds, and what is read from a file are objects of these classes. The JSON schema
and docs/result.md are made from them (results/schema.py). `schema_version`, also in results/report.py, rises with every
change that a reader of older files would notice.
"""
