#!/bin/sh
# Tests a hostile build: address and undefined-behaviour sanitizers, extra checks, tiny rings and
# pools. Runs unit tests, command line tests, every program, damaged databases and killed sweeps;
# injects a failure into every call of the plain build that can fail, and compares results between
# builds by other compilers; then fuzzes each parser.
#     hard.sh HARD PLAIN: the build folders
set -eu
build=$1
plain=$2
seconds=${FUZZ_SECONDS:-600}
# A distinct exit status: tests must not mistake a sanitizer's report for a simulated fault.
export ASAN_OPTIONS=detect_stack_use_after_return=0:detect_leaks=1:exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1:exitcode=99

if [ ! -e "$build/build.ninja" ]; then
    CC=clang meson setup "$build" --buildtype=debugoptimized -Dhard=true -Dtests=enabled \
        -Db_sanitize=address,undefined -Db_lundef=false
fi
ninja -C "$build"
failed=0
test/run --only unit --only cli --only fuzz --only whole/hard "$build" || failed=1
DAMAGED=400 test/damage/damage.py "$build" || failed=1
KILLS=100 test/damage/kill.py "$build" || failed=1
# Fault injection preloads a library, which does not work in a build with sanitizers.
CORUN_FAULTS=all test/faults/faults.py "$plain" || failed=1
for other in gcc-2-auto gcc-3-baseline clang-2-auto clang-3-baseline; do
    CORUN_TEST=every test/builds/equal.py "$plain" $other || failed=1
done

# New corpus entries stay in the build folder; the seeds are only read.
fuzz() {
    found=$build/fuzz-$1
    mkdir -p "$found"
    ran=0
    "$build/test/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="$found/" \
        "$found" "$2" >"$found.log" 2>&1 || ran=1
    [ $ran = 0 ] || tail -40 "$found.log"
    echo "$1:"
    grep 'stat::number_of_executed_units' "$found.log" || ran=1
    return $ran
}
seeds=$build/fuzz-seeds
mkdir -p "$seeds/machine" "$seeds/database" "$seeds/policy"
"$build/test/fuzz/seeds" "$seeds"
cp gpus/*.yaml "$seeds/machine/"
cp test/fuzz/corpus/policy/* "$seeds/policy/"
for name in $("$build/corun" list policies | awk '/^[a-z]/ && !/^[a-z0-9.-]*:/ { print $1 }'); do
    printf '24%s' "$name" >"$seeds/policy/seed-$name" # two apps
done
printf 'sweep: seed\napps: [["vecadd:size=test"]]\npolicies: [leftover]\nrules: end\n' \
    >"$seeds/seed.yaml"
[ -e "$seeds/database/seed.db" ] ||
    "$build/corun" sweep "$seeds/seed.yaml" -o "$seeds/database/seed.db" --quiet || failed=1
echo "fuzzing eight targets for $seconds s each, two at a time"
fuzz ptx test/fuzz/corpus/ptx & first=$!
fuzz appfile test/fuzz/corpus/appfile || failed=1
wait $first || failed=1
fuzz machine "$seeds/machine" & first=$!
fuzz sweep test/fuzz/corpus/sweep || failed=1
wait $first || failed=1
fuzz database "$seeds/database" & first=$!
fuzz fat "$seeds/fat" || failed=1
wait $first || failed=1
fuzz calls "$seeds/calls" & first=$!
fuzz policy "$seeds/policy" || failed=1
wait $first || failed=1
if [ $failed = 0 ]; then echo "hard: all passed"; else echo "hard: failed"; fi
exit $failed
