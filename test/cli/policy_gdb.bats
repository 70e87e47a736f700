#!/usr/bin/env bats
# The recipe of docs/how-to/debug-a-policy.md for gdb.
load common

@test "gdb stops in a hook of a policy at a cycle" {
    command -v gdb >/dev/null || skip "gdb is not here"
    ! has_sanitizer || skip "a sanitizer's runtime is traced, too"
    page=$HERE/../../docs/how-to/debug-a-policy.md
    sed -n '/^```text gdb.txt/,/^```$/{//!p}' "$page" >gdb.txt
    [ "$(wc -l <gdb.txt)" = 7 ]
    cat >FILE.c <<'END'
#include "corun/policy.h"
static void mine_share(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state;
    for (uint32_t i = 0; i < view->sm_n * view->kernel_n; i++) target[i] = 2;
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "mine",
    .sentence = "For a test.", .share = mine_share};
END
    $(sed -n 's/^    \(cc -g .*\)/\1/p' "$page" | sed "s# include # $HERE/../../include #")
    command=$(sed -n 's/^    gdb -x gdb.txt --args corun run mm bfs //p' "$page")
    said=$(gdb -batch -x gdb.txt --args "$CORUN" run mm:size=test bfs:size=test $command 2>&1)
    [[ $said =~ Breakpoint\ 1[^$]*mine_share ]] || { echo "$said"; return 1; }
    [[ $said =~ '$1 = '([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -ge 3000 ]
    [[ $said == *'$2 = '*'$3 = '* ]]
}
