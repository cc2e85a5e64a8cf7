#!/usr/bin/env bash
# Checks the formatting: C and C++ by clang-format, Python by ruff. With --fix: corrects it.
set -euo pipefail
cd "$(dirname "$0")/.."

clang=(--dry-run -Werror) lint=() format=(--check)
[[ ${1:-} == --fix ]] && clang=(-i) lint=(--fix) format=()

failed=0
git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' '*.hpp' '*.inc' | sort -u | while read -r file; do
  [[ -f $file ]] && echo "$file"
done | xargs -rd '\n' -n 16 -P "$(nproc)" clang-format "${clang[@]}" 2>&1 | sed -n 's/: error:.*clang-formatted.*/: differs from the format of clang-format/p' || failed=1
.venv/bin/ruff check --quiet "${lint[@]}" . || failed=1
.venv/bin/ruff format --quiet "${format[@]}" . || failed=1
[[ $failed -eq 0 ]] || echo "format: 'make format' fixes what can be fixed automatically"
exit $failed
