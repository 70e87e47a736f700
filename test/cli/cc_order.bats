#!/usr/bin/env bats
# corun cc: no access to memory moves over a barrier, a fence, a function of the warp or an atomic,
# and clang does not join two branches. Uses the clang of CORUN_CLANG, or the clang chosen by corun
# cc.
load common

# bats test_tags=long
@test "each form keeps its place in the PTX between loads and stores" {
    clang_here
    run python3 "$HERE/../cc/order.py" "$CORUN" .
    grep -A 4 '^not ok' <<<"$output" || true
    ended 0
    [ "$(grep -c '^ok ' <<<"$output")" -ge 180 ]
}

@test "a variable stored by one lane is loaded by the others after the barrier" {
    clang_here
    levels=3
    [ "${CORUN_TEST:-}" != every ] || levels='0 1 2 3'
    for level in $levels; do
        corun cc -O$level "$HERE/../cc/ordered.cu" -o ordered
        ended 0
        corun cuda --quiet --gpu maxwell16 ./ordered
        ended 0
        [ "$output" = '0 of 32 wrong' ] || { echo "$output"; false; }
    done
    corun cuda --quiet --gpu rtx2060 ./ordered
    ended 0
    [ "$output" = '0 of 32 wrong' ]
}

@test "barriers and functions of the warp in branches and loops keep their lanes" {
    clang_here
    corun cc "$HERE/../cc/branches.cu" -o branches
    ended 0
    for gpu in maxwell16 rtx2060; do
        corun cuda --quiet --gpu $gpu ./branches
        ended 0
        [ "$output" = '0 of 16 wrong' ] || { echo "$output"; false; }
    done
}

@test "queues, sums, pipelines and locks over shared variables" {
    clang_here
    corun cc "$HERE/../cc/sharing.cu" -o sharing
    ended 0
    for gpu in maxwell16 rtx2060; do
        corun cuda --quiet --gpu $gpu ./sharing
        ended 0
        [ "$output" = '0 of 7 wrong' ] || { echo "$output"; false; }
    done
}
