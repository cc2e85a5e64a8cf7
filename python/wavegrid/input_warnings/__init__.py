"""What an experienced user would say about an input that is valid, but probably unintended.

- `remark`: a remark is a warning, which is about wrong science and which --strict refuses, or information
- `meanings`: all warnings by name, for the documentation
- `inputs`: all remarks on an input (`setup`), from `geometry`, `cell`, `sampling`, `electrons`, `potentials` and
  `accuracy`; `results.result_warnings` has those that only the numbers of a result allow

Each subject has one short function for each remark; thresholds and their sources stand at the top of its module.
"""
