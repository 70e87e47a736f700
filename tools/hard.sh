#!/bin/sh
# The hostile build: address and undefined-behaviour sanitizers, extra checks, tiny rings and pools.
# Its unit tests, the command line tests, every program, damaged databases and killed sweeps, then
# each parser against random bytes.
set -eu
build=$1
seconds=${FUZZ_SECONDS:-60}
# A status of its own, so that no test takes a sanitizer's report for a simulated fault.
export ASAN_OPTIONS=detect_stack_use_after_return=0:detect_leaks=1:exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1:exitcode=99

if [ ! -e "$build/build.ninja" ]; then
    CC=clang meson setup "$build" --buildtype=debugoptimized -Dhard=true -Dtests=enabled \
        -Db_sanitize=address,undefined -Db_lundef=false
fi
ninja -C "$build"
failed=0
test/run --only unit --only cli --only whole/hard "$build" || failed=1
DAMAGED=400 test/damage/damage.py "$build" || failed=1
KILLS=100 test/damage/kill.py "$build" || failed=1

for parser in ptx appfile; do
    found=$build/fuzz-$parser
    mkdir -p "$found"
    echo "fuzzing the $parser parser for $seconds s"
    # New inputs go to the first folder, the seeds in the second are only read.
    if ! "$build/test/fuzz/fuzz_$parser" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="$found/" \
        "$found" "test/fuzz/corpus/$parser" >"$found.log" 2>&1; then
        tail -40 "$found.log"
        failed=1
    fi
    grep 'stat::number_of_executed_units' "$found.log" || failed=1
done
if [ $failed = 0 ]; then echo "hard: all passed"; else echo "hard: failed"; fi
exit $failed
