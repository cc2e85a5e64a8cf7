"""Kinds of tasks."""

MOTION = ("relax", "md")  # the tasks of many geometries
