#!/usr/bin/env bash
# Is everything formatted? C and C++ by clang-format, Python by ruff. With --fix: mend what can be mended.
set -euo pipefail
cd "$(dirname "$0")/.."

clang=(--dry-run -Werror) lint=() format=(--check)
[[ ${1:-} == --fix ]] && clang=(-i) lint=(--fix) format=()

failed=0
git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' '*.hpp' | sort -u | while read -r file; do
  [[ -f $file ]] && echo "$file"
done | xargs -rd '\n' -n 16 -P "$(nproc)" clang-format "${clang[@]}" 2>&1 | sed -n 's/: error:.*clang-formatted.*/: not as clang-format writes it/p' || failed=1
.venv/bin/ruff check --quiet "${lint[@]}" . || failed=1
.venv/bin/ruff format --quiet "${format[@]}" . || failed=1
[[ $failed -eq 0 ]] || echo "format: 'make format' mends what a machine can mend"
exit $failed
