"""Texts, vectors of three numbers, JSON schemas: what needs no other part of the package."""
