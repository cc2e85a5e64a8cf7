#!/usr/bin/env bash
# Checks that CMake, the Python package and the changelog have the same version.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake=$(sed -n 's/^project(wavegrid VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
python=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
module=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' python/wavegrid/__init__.py)
changelog=$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
[[ $cmake == "$python" && $cmake == "$module" && $cmake == "$changelog" ]] || {
  echo "version: CMakeLists.txt has $cmake, pyproject.toml $python, python/wavegrid/__init__.py $module, the newest entry of CHANGELOG.md $changelog; they must agree"
  exit 1
}
