#!/usr/bin/env bats
# Isolated runs: their share of the GPU, and figures of apps alone for policies.
load common

# bats test_tags=long
@test "alone on its share: the SMs and ways of L2 that the app has in the shared run" {
    shared() { # POLICY: instructions of both apps alone
        corun run clone001-fwt clone001-histo --gpu fermi30 --policy "$1" --until window \
            --cycles 10000 --alone-on share --json - --quiet
        ended 0
        python3 -c 'import json, sys
print(*[a["alone"]["thread_instructions"] for a in json.loads(sys.argv[1])["apps"]])' "$output"
    }
    alone() { # prints the app's instructions
        corun run "$2" --gpu fermi30 --policy "$1" --until window --cycles 10000 --alone skip \
            --json - --quiet
        ended 0
        python3 -c 'import json, sys
print(json.loads(sys.argv[1])["apps"][0]["thread_instructions"])' "$output"
    }
    narrow=$(alone "spatial[split=15]+l2-ways[ways=1]" clone001-fwt)
    wide=$(alone "spatial[split=15]" clone001-fwt)
    few=$(alone "spatial[split=3]+l2-ways[ways=15]" clone001-histo)
    [ "$narrow" != "$wide" ]
    [ "$(shared "spatial+l2-ways[ways=1/15]" | cut -d" " -f1)" = "$narrow" ]
    [ "$(shared spatial | cut -d" " -f1)" = "$wide" ]
    [ "$(shared "spatial[split=27/3]+l2-ways[ways=1/15]" | cut -d" " -f2)" = "$few" ]
    corun run vecadd mm --policy smk-p+l2-ways --alone-on share
    refused "--alone-on share takes each app's SMs from the policy 'spatial'"
}

@test "an app alone on one of two SMs: blocks and issue rate of the SM with a block" {
    cat >figures.c <<'END'
#include "corun/policy.h"
#include <stdio.h>
static uint32_t needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_PROFILE;
}
static void told(void *state, const struct corun_view *view, const struct corun_event *event)
{
    const struct corun_alone *a = &view->app_alone[0];
    FILE *f = fopen("figures", "w");
    (void)state, (void)event;
    fprintf(f, "%.17g %.17g %.17g\n", a->sms, a->resident_blocks, a->issue_fraction);
    fclose(f);
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "figures",
    .sentence = "For a test.", .needs = needs, .watch = told, .events = 1u << CORUN_BLOCK_START};
END
    corun run synth:blocks=1,threads=64,loops=20 "${FEW[@]}" --policy ./figures.c --until end \
        --json - --quiet
    ended 0
    python3 -c 'import json, sys
sms, blocks, issue = map(float, open("figures").read().split())
s = json.loads(sys.argv[1])["apps"][0]["stats"]
assert 0.9 < sms <= 1 and blocks == 1, (sms, blocks)
assert abs(issue - s["inst.warp"] / (4 * s["blocks.active_cycles"])) < 1e-9, issue' "$output"
}
