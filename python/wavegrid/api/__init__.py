"""What `import wavegrid` offers to Python programs: `run`, `Session`, `load` and `Result` (docs/python.md)."""
