#!/usr/bin/env bash
# Prepares the machine and .venv: missing Debian packages, pinned Python packages, wavegrid itself (editable).
# Does nothing where all is installed. Exit code 3: the user has to act, and the message says how.
#
#   scripts/setup.sh run     what building the library and running it need
#   scripts/setup.sh test    also what the tests, the checks and the Fortran interface need (the default)
#   scripts/setup.sh packages    of these the Debian packages alone
#   scripts/setup.sh fuzz    also what the fuzz targets need
#   scripts/setup.sh simulated    also what simulated clusters need
#
#   PYTHON=python3.12   another interpreter for .venv than Debian's
#   SKIP_PACKAGES=1     leave Debian packages alone: compiler and libraries come from elsewhere (modules, spack, ...)
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-test} in
  run) sets=(run) ;;
  test | packages) sets=(run test) ;;
  fuzz | simulated) sets=(run test "$1") ;;
  *) echo "setup: unknown set '$1'; valid are run, test, packages, fuzz and simulated" >&2; exit 2 ;;
esac
packages=("${sets[@]/#/scripts/packages-}")
packages=("${packages[@]/%/.txt}")
mapfile -t requirements < <(ls "${packages[@]//packages-/requirements-}" 2>/dev/null) # a set may have none

say() { printf 'setup: %s\n' "$*"; }
give_up() {
  printf 'setup: %s\n' "$@" >&2
  exit 3
}

missing_packages() {
  local wanted
  mapfile -t wanted < <(sed 's/#.*//' "${packages[@]}" | grep -o '[^[:space:]]\+')
  printf '%s\n' "${wanted[@]}" | grep -vxFf <(
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/^installed //p'
  ) || true
}

install_packages() {
  local as_root=() install="apt-get install -y --no-install-recommends $*"
  if [[ $EUID -ne 0 ]]; then
    if sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    elif [[ -t 0 ]] && command -v sudo >/dev/null; then
      as_root=(sudo) # asks for the password
    else
      give_up "these Debian packages are missing and only an administrator can install them; ask for" \
        "    apt-get update && $install" "or, where they come from elsewhere, set SKIP_PACKAGES=1"
    fi
  fi
  say "installing $* (a minute or two)"
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  { "${as_root[@]}" apt-get update -qq && "${as_root[@]}" $install -qq; } >/dev/null ||
    give_up "the Debian packages could not be installed; fix what apt-get reports above, or let an administrator run" \
      "    apt-get update && $install"
}

make_venv() { # $1: what it depends on
  [[ "$(cat .venv/.made-for 2>/dev/null)" == "$1" ]] && return
  say "making .venv with $PYTHON"
  "$PYTHON" -m venv --clear .venv || give_up "$PYTHON cannot make a virtual environment; install python3-venv"
  printf '%s' "$1" >.venv/.made-for
}

fill_venv() {
  local wanted=() file stamp
  for file in "${requirements[@]}"; do # a stamp for each file: `run` after `test` has nothing to do
    stamp=.venv/.$(basename "$file" .txt)
    [[ -x .venv/bin/wavegrid && "$(cat "$stamp" 2>/dev/null)" == "$(checksum "$file")" ]] || wanted+=("$file")
  done
  [[ ${#wanted[@]} -gt 0 ]] || return 0
  say "installing ${wanted[*]} and wavegrid into .venv"
  local pip=(.venv/bin/python -m pip --disable-pip-version-check install --quiet)
  { "${pip[@]}" "${wanted[@]/#/--requirement=}" && "${pip[@]}" --no-build-isolation --no-deps --editable .; } ||
    give_up "pip could not fill .venv; without a network, point PIP_FIND_LINKS at a folder with the wheels" \
      "of ${requirements[*]} and set PIP_NO_INDEX=1"
  for file in "${wanted[@]}"; do checksum "$file" >.venv/."$(basename "$file" .txt)"; done
}

checksum() { # $1: a file of requirements
  cat "$1" pyproject.toml | sha256sum
}

if [[ -z ${SKIP_PACKAGES:-} ]]; then
  command -v dpkg-query >/dev/null || give_up "this system has no dpkg: install what ${packages[*]} list, then set SKIP_PACKAGES=1"
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
fi

[[ ${1:-test} != packages ]] || exit 0

PYTHON=${PYTHON:-/usr/bin/python3} # not a version manager's
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  give_up "$PYTHON is missing or older than 3.11; set PYTHON to a newer one"
make_venv "$PWD $PYTHON $("$PYTHON" --version)"
fill_venv
