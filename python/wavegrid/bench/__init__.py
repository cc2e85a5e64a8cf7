"""Benchmarks that compare the library with its peers, each a compiled program beside this package and a command."""
