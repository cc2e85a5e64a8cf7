#!/usr/bin/env bash
# Runs each fuzz target for some seconds (60); ends with 1 at the first finding, whose input is then in build/fuzz/found.
# README.md says what the targets are.
#
#   tests/fuzz/run.sh [seconds] [target ...]
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
targets=("${@:2}")
[[ ${#targets[@]} -gt 0 ]] || targets=(upf psp8 gth paw checkpoint hdf5 toml)
# Most of the time would go to stacks of allocations and to freed memory that is kept for long. HDF5 asks for sizes that no
# machine has, for arrays that the changed file shall have, and takes the refusal well; a refused `new` of ours is still a
# finding.
export ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=4:thread_local_quarantine_size_kb=64
export ASAN_OPTIONS=$ASAN_OPTIONS:allocator_may_return_null=1:max_allocation_size_mb=500
# Without the search for leaks after each input and without entropic schedules three times as many inputs are tried.
common=(-max_total_time="$seconds" -detect_leaks=0 -entropic=0 -reduce_inputs=0 -print_final_stats=1
  -artifact_prefix=build/fuzz/found/)
declare -A longest=([upf]=3500 [psp8]=2600 [gth]=512 [paw]=6000 [checkpoint]=200 [hdf5]=200 [toml]=1600)
mkdir -p build/fuzz/found

for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target seeds=tests/fuzz/corpus/$target program=(build/fuzz/tests/fuzz/fuzz_"$target")
  if [[ $target == toml ]]; then
    seeds=examples program=(.venv/bin/python tests/fuzz/fuzz_toml.py)
  fi
  mkdir -p "$corpus"
  if "${program[@]}" "${common[@]}" -max_len="${longest[$target]}" "$corpus" "$seeds" >build/fuzz/"$target".log 2>&1; then
    echo "fuzz $target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' build/fuzz/"$target".log) inputs, no finding"
  else
    tail -n 40 build/fuzz/"$target".log
    echo "fuzz $target: a finding; its input is in build/fuzz/found, the log in build/fuzz/$target.log" >&2
    exit 1
  fi
done
