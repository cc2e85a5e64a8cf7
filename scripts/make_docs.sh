#!/usr/bin/env bash
# Builds the documentation site in build/docs/site. Its Python packages get an environment of their own.
#
#   scripts/make_docs.sh [OPTIONS OF mkdocs build]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/docs
mkdir -p "$folder"

if ! cmp -s scripts/requirements-docs.txt "$folder/venv/requirements.txt"; then
  echo "docs: installing scripts/requirements-docs.txt"
  "${PYTHON:-python3}" -m venv --clear "$folder/venv"
  "$folder/venv/bin/pip" install -q --disable-pip-version-check -r scripts/requirements-docs.txt
  cp scripts/requirements-docs.txt "$folder/venv/requirements.txt"
fi

# The site has the tree of the repository, so that links between pages, and to other files, are the same.
rm -rf "$folder/pages"
mkdir -p "$folder/pages"
for name in README.md CHANGELOG.md LICENSE docs examples packaging; do ln -s "$PWD/$name" "$folder/pages/$name"; done
grep -rhoP '\]\((\.\./)+\K[^)#]+' docs --include='*.md' | sort -u | while read -r name; do
  if [[ -f $name && ! -e $folder/pages/$name ]]; then
    mkdir -p "$(dirname "$folder/pages/$name")"
    ln -s "$PWD/$name" "$folder/pages/$name"
  fi
done
# Not --quiet: then --strict would not count warnings, such as a dead link or anchor, or a page that the menu lacks.
NO_MKDOCS_2_WARNING=1 "$folder/venv/bin/mkdocs" build --strict --clean -f docs/site/mkdocs.yml "$@" >"$folder/build.log" 2>&1 || {
  grep -v '^INFO' "$folder/build.log"
  exit 1
}
echo "written: $folder/site/index.html; $(scripts/count_words.py --total | tail -n 1)"
