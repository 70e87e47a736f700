#!/usr/bin/env bats
# corun check: shipped policies keep the contract, bad policies get the reason for their failure;
# policies from unusable files.
load common

BAD=$BATS_TEST_DIRNAME/../policy/bad

broken() { # exactly these properties are broken, by the JSON
    python3 -c 'import json, sys
d = json.load(sys.stdin)
got = [p["name"] for p in d["properties"] if p["verdict"] == "broken"]
assert got == sys.argv[1:] and not d["right"], got
assert all(p["why"] for p in d["properties"] if p["verdict"] == "broken")' "$@" <<<"$output"
}

# On a quarter of the SMs, where the contract is the same and runs are shorter.
check() { corun check "$@" --set sm.count=4; }

list_policies() { # writes the file `policies`
    "$CORUN" list policies >names
    python3 -c 'import re
names = [l.split()[0] for l in open("names") if re.match(r"[a-z-]+ ", l)][1:]
print("\n".join(names))' >policies
    [ "$(wc -l <policies)" -ge 9 ]
    printf '%s\n' 'fixed[blocks=2/2]' 'sequential+rr-frfcfs' 'smk-p+fair' 'spatial+ideal' \
        'leftover[shared=off]' >>policies
    sed -i '/^oracle$/d; /^mig$/d' policies # below
    # Slices of 1,024 us are longer than a scenario.
    sed -i 's/^timeslice$/timeslice[us=20,state=resident]/' policies
}

# bats test_tags=long
@test "every shipped policy keeps the contract" {
    list_policies
    while read -r policy; do
        check "$policy"
        ended 0
        shows "$policy on maxwell16" " 0 broken,"
    done < <(some <policies)
}

@test "mig keeps the contract, also with policies inside" {
    few=(--gpu h100 --set sm.count=8 --set mig.sms_2g=2 --set mig.sms_3g=3 --set mig.sms_7g=8)
    for policy in mig 'mig[apps=0/0,inside=smk-even]'; do
        corun check "$policy" "${few[@]}"
        shows "$policy on h100" " 0 broken,"
    done
    corun check mig
    refused "the policy refused all runs: policy 'mig': the machine has no MIG"
}

@test "policies inside sets of SMs keep the contract" {
    few=(--gpu h100 --set sm.count=16 --set map.channels=16)
    for policy in 'mps[static=1/1,apps=0/1,inside=smk-p+dmil]' \
        'green[sms=8,apps=0/0,inside=smk-even+switch]'; do
        corun check "$policy" "${few[@]}"
        ended 0
        shows "$policy on h100" " 0 broken,"
    done
}

# bats test_tags=long
@test "every shipped policy keeps the contract on h100 and rtx5090" {
    list_policies
    for gpu in h100 rtx5090; do
        while read -r policy; do
            check "$policy" --gpu $gpu
            ended 0
            shows "$policy on $gpu" " 0 broken,"
        done < <(some <policies)
    done
}

# Of a machine of today with few SMs.
@test "some policies keep the contract on h100 and rtx5090" {
    for gpu in h100 rtx5090; do
        for policy in leftover smk-p l1-ucp; do
            check "$policy" --gpu $gpu
            shows "$policy on $gpu" " 0 broken,"
        done
    done
}

@test "an app alone with extra blocks is not held to the isolated run" {
    corun check virtual-thread --gpu rtx2060 --set sm.count=4
    ended 0
    shows " 0 broken," "hotspot alone: extra blocks were resident"
    corun run hotspot:size=test --policy virtual-thread --gpu rtx2060 --set sm.count=4 --json -
    ended 0
    holds "d['stats']['residency.extra_block_cycles'] > 0"
}

# bats test_tags=long
@test "a kernel may wait under sequential, and where no mechanism decides where blocks go" {
    for policy in sequential its; do
        check "$policy"
        ended 0
        shows "$policy on maxwell16" " 0 broken,"
    done
}

# bats test_tags=long,every
@test "the oracle keeps the contract" {
    corun check oracle --set sm.count=2
    ended 0
    shows "oracle on maxwell16" " 0 broken,"
    check 'oracle[mode=window,window=4000]'
    ended 0
    shows "oracle[mode=window,window=4000] on maxwell16" " 0 broken,"
}

@test "a symmetric policy is held to it, a table is not held to the isolated run" {
    check smk-even --json -
    ended 0
    holds "d['schema'] == 'corun-check/1' and d['right'] and d['scenarios'] == 7"
    holds "[p['name'] for p in d['properties'] if p['verdict'] != 'holds'] ==
        ['turns', 'limits', 'ways', 'entries', 'ranks', 'decides', 'predicts']"
    check fixed --json -
    ended 0
    holds "{p['name']: p['verdict'] for p in d['properties']}['alone'] == 'untested'"
    holds "d['scenarios'] == 2 and 'blocks names 1 app, the run has 2' in d['refuses']"
}

@test "a policy that starves a kernel" {
    corun check "$BAD/starves.c"
    ended 1
    shows "starved at cycle 100001: kmeans: kernel 'kmeans_transpose' was admitted and fits" \
        '`share` gives the kernel 0 blocks on every SM' "kmeans has not completed" ", 1 broken,"
}

# bats test_tags=long
@test "a policy that starves an app after a while" {
    check "$BAD/tires.c"
    ended 1
    shows "hotspot and vecadd for 150000 cycles: hotspot issued no instruction for" \
        ", 1 broken,"
}

@test "a policy that answers more than fits" {
    check "$BAD/overfull.c" --json -
    ended 1
    broken fits
    holds "any('cycle 0, SM 0: 13 of vecadd and 13 of kmeans_transpose need 6656 threads, an SM has'
               ' 3072' in (p['why'] or '') for p in d['properties'])"
}

@test "a policy that never answers: it lets nobody in" {
    check "$BAD/silent.c"
    ended 1
    shows "deadlock at cycle 1: hotspot:" '`admit` never admits the kernel' ", 2 broken,"
}

# bats test_tags=long,every
@test "a policy that never answers: a hook does not come back" {
    check "$BAD/hangs.c" --hook-seconds 1
    ended 1
    shows 'hotspot alone: in `admit` of hangs at cycle 0: no return within 1 s' \
        "0 hold, 1 broken"
}

@test "a policy that crashes" {
    no_sanitizer
    check "$BAD/crashes.c" --json crash.json
    ended 1
    shows 'vecadd and kmeans: in `watch` of crashes at cycle ' "0 hold, 1 broken"
    [[ $output =~ 'of crashes at cycle '[0-9]+': killed by signal 11' ]]
    output=$(<crash.json)
    broken answers
}

# bats test_tags=long,every
@test "a policy of each group says what it is held to" {
    held() { # exactly these properties of shares hold, the others are untested
        check "$1" --json -
        ended 0
        python3 -c 'import json, sys
d = {p["name"]: p["verdict"] for p in json.load(sys.stdin)["properties"]}
shares = ["turns", "limits", "ways", "entries", "ranks"]
assert all(d[p] == ("holds" if p in sys.argv[1:] else "untested") for p in shares), d' \
            "${@:2}" <<<"$output"
    }
    held kernel-lrr turns
    held dmil+qbmi turns limits
    held l1-ucp turns ways
    held l2-ways turns ways
    held l1-mshr-split turns entries
    held its turns ranks
    held smk-p
}

# bats test_tags=long
@test "a policy that keeps a kernel from its turn" {
    for policy in partial waits; do
        corun check "$BAD/$policy.c" --json -
        ended 1
        broken turns
        holds "any('issued no instruction for 110000 cycles' in (p['why'] or '')
                   for p in d['properties'])"
    done
    sed 's/ctz(contest->apps)/clz(contest->apps) ^ 31/' "$BAD/partial.c" >last.c
    corun check ./last.c --json -
    broken turns
    corun check "$HERE/../policy/plug/order.c[rule=ranked]" --json -
    broken turns
}

# bats test_tags=long,every
@test "a policy that gives a limit of nothing" {
    check "$BAD/mutes.c" --json -
    ended 1
    broken fits progress limits
    holds "any('a limit of 0 for kmeans_transpose, which could then never issue' in (p['why'] or '')
               for p in d['properties'] if p['name'] == 'limits')"
}

# bats test_tags=long,every
@test "a policy that gives more lines than a set has, of L1 or L2" {
    sed 's/l1_ways/l2_ways/; s/l1_lines/l2_ways/' "$BAD/lavish.c" >far.c
    for policy in "$BAD/lavish.c" ./far.c; do
        corun check "$policy" --json -
        ended 1
        broken ways
        case $policy in
        ./far.c) says='partition 0: 18 lines of a set are given, L2 has 16' ;;
        *) says='SM 0: 8 lines of a set are given, L1 has 6' ;;
        esac
        holds "any('$says' in (p['why'] or '') for p in d['properties'])"
    done
    corun check 'l2-ways[ways=16/16]' # a table may say any number
    ended 0
}

@test "a policy that gives more MSHRs than there are" {
    check "$BAD/hoards.c" --json -
    ended 1
    broken entries
    holds "any('app 0 is given 129 MSHRs, L1 has 128' in (p['why'] or '')
               for p in d['properties'])"
}

# bats test_tags=long
@test "a policy that ranks by a rule that DRAM does not have" {
    check "$BAD/unruly.c" --json -
    ended 1
    broken fits ranks
    holds "any('dram_rank does not accept CORUN_LEAST_RATIO' in (p['why'] or '')
               for p in d['properties'] if p['name'] == 'ranks')"
}

# bats test_tags=long,every
@test "a policy that changes its mind later than it states" {
    check "$BAD/dithers.c" --json -
    ended 1
    broken decides
    holds "any('cycles after the kernels began, 5000 were stated' in (p['why'] or '')
               for p in d['properties'])"
    sed 's/return 5000/return 50000/' "$BAD/dithers.c" >steady.c
    check ./steady.c --json -
    ended 0
    holds "{p['name']: p['verdict'] for p in d['properties']}['decides'] == 'holds'"
    sed 's/return 5000/return 500000/' "$BAD/dithers.c" >slow.c
    check ./slow.c --json -
    holds "{p['name']: p['verdict'] for p in d['properties']}['decides'] == 'untested'"
}

# bats test_tags=long,every
@test "a policy that counts beyond its rows" {
    check "$BAD/counts.c" --json -
    ended 1
    broken writes
    holds "any('wrote beyond the policy\\'s counters (\`stats\`) at cycle ' in (p['why'] or '')
               for p in d['properties'])"
    sed 's/stats\[i\]/stats[-i]/; s/uint32_t i/int64_t i/' "$BAD/counts.c" >before.c
    corun run mm:size=test --policy ./before.c --alone skip
    ended 1
    says 'policy-failed: `watch` of counts wrote beyond the policy'\''s counters (`stats`) at cycle'
    sed 's/i <= 1/i < 1/' "$BAD/counts.c" >well.c
    check ./well.c
    ended 0
}

# bats test_tags=long,every
@test "a policy whose timer stays in the past" {
    check "$BAD/lingers.c" --json -
    ended 1
    broken fits
    holds "any('the timer of lingers stays in the past, at 2000, '
               'so the policy runs every cycle; the policy\\'s \`events\` lack ' in (p['why'] or '')
               for p in d['properties'])"
    corun run hotspot:size=test --policy "$BAD/lingers.c" --alone skip
    ended 0
    says "warning: policy $BAD/lingers.c: 1 answers refused" "in the past, at 2000"
    sed 's/1u << CORUN_BLOCK_END/& | 1u << CORUN_TIMER/' "$BAD/lingers.c" >moves.c
    check ./moves.c --json -
    holds "[p['verdict'] for p in d['properties'] if p['name'] == 'fits'] == ['holds']"
}

# NAME OPTION-N OPTIONS STAT-N STATS: writes NAME.c, a policy with N rows of each, and data behind.
rows() {
    cat >"$1.c" <<END
#include "corun/policy.h"
static const struct {
    struct corun_option options[$2];
    const char *behind[8];
    struct corun_policy_stat stats[$4];
    const char *behind_it[8];
} all = {{$3}, {"to be read", "not a row"}, {$5}, {"to be read", "not a row"}};
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "$1",
    .sentence = "For a test.", .options = all.options, .stats = all.stats};
END
}

# bats test_tags=long,every
@test "a table of options or counters without its last row" {
    local x='{"x", CORUN_NUMBER, "5", 1, 9, NULL, "blocks", "A number."}'
    local n='{"n", "blocks", "A count."}'
    rows right 2 "$x, {0}" 2 "$n, {0}"
    corun show policy ./right.c
    ended 0
    shows "A number." "A count."
    rows endless 1 "$x" 2 "$n, {0}"
    rows countless 2 "$x, {0}" 1 "$n"
    for command in "run mm:size=test --policy" "check" "show policy"; do
        corun $command ./endless.c
        refused "cannot use policy ./endless.c: table \`options\`: the row behind 'x' lacks " \
            "does the table end with a row {0}?"
        corun $command ./countless.c
        refused "cannot use policy ./countless.c: table \`stats\`: the row behind 'n' lacks "
    done
    printf 'apps: [[mm:size=test]]\npolicies: [./endless.c]\n' >sweep.yaml
    corun sweep sweep.yaml -o x.db
    refused sweep.yaml:2:12: "table \`options\`: the row behind 'x' lacks"
}

# bats test_tags=long,every
@test "rows that are none" {
    local n='{"n", "blocks", "A count."}, {0}'
    wrong() { # OPTION WHAT
        rows odd 2 "$1, {0}" 2 "$n"
        corun show policy ./odd.c
        refused "table \`options\`: the first row lacks $2"
    }
    wrong '{"a b", CORUN_NUMBER, "5", 1, 9, NULL, "", "A number."}' "a name of letters"
    wrong '{"", CORUN_NUMBER, "5", 1, 9, NULL, "", "A number."}' "a name of letters"
    wrong '{(char *)8, CORUN_NUMBER, "5", 1, 9, NULL, "", "A number."}' "a name of letters"
    wrong '{"x", 7, "5", 1, 9, NULL, "", "A number."}' "a type of enum corun_option_type"
    wrong '{"x", CORUN_INSIDE, "none", 0, 0, NULL, "", "A policy."}' "the name \`inside\`"
    wrong '{"x", CORUN_NUMBER, NULL, 1, 9, NULL, "", "A number."}' "an initial value"
    wrong '{"x", CORUN_WORD, "a", 1, 9, (char *)8, "", "A word."}' "a valid text for \`words\`"
    wrong '{"x", CORUN_NUMBER, "5", 1, 9, NULL, (char *)8, "A number."}' "a valid text for \`unit\`"
    wrong '{"x", CORUN_NUMBER, "5", 1, 9, NULL, ""}' "a sentence"
    wrong '{"log", CORUN_NUMBER, "5", 1, 9, NULL, "", "A number."}' "a name of its own"
    [[ $stderr != *"{0}?"* ]]
    local x='{"x", CORUN_NUMBER, "5", 1, 9, NULL, "", "A number."}'
    rows twice 3 "$x, $x, {0}" 2 "$n"
    corun run mm:size=test --policy ./twice.c
    refused "table \`options\`: the row behind 'x' lacks a name of its own"
    rows counted 2 "$x, {0}" 3 '{"n", "", "A count."}, {"n", "", "A count."}, {0}'
    corun show policy ./counted.c
    refused "table \`stats\`: the row behind 'n' lacks a name of its own"
    rows refusing 2 "$x, {0}" 2 '{"refusals", "", "A count."}, {0}'
    corun show policy ./refusing.c
    refused "table \`stats\`: the first row lacks a name of its own, which no other row and no"
    rows many 102 \
        "$(printf '{"x%s", CORUN_NUMBER, "5", 1, 9, NULL, "", "A."}, ' {1..101}) {0}" 2 "$n"
    corun show policy ./many.c
    refused "the row behind 'x100' lacks room: a table has at most 100 rows"
}

@test "names of policies that results cannot tell apart" {
    local x='{"x", CORUN_NUMBER, "5", 1, 9, NULL, "", "A number."}, {0}' n='{"n", "", "A."}, {0}'
    rows one 2 "$x" 2 "$n"
    sed 's/"one"/"other"/' one.c >other.c
    corun run mm:size=test --policy ./one.c+./other.c --alone skip --json -
    ended 0
    holds "d['policy_stats'] == {k: {'n': 0} for k in ('one', 'other')}"
    cp one.c two.c
    for command in "run mm:size=test --policy" check; do
        corun $command ./one.c+./two.c
        refused "two policies are named 'one'"
        says "./one.c+./two.c" "        ^"
    done
    sed 's/"one"/"fair"/' one.c >like.c
    corun run mm:size=test --policy fair+./like.c
    refused "two policies are named 'fair'"
    corun run mm:size=test --policy ./like.c --alone skip
    ended 0
    printf 'apps: [[mm:size=test]]\npolicies: [./one.c+./two.c]\n' >sweep.yaml
    corun sweep sweep.yaml -o x.db
    refused sweep.yaml:2:
    says "two policies are named 'one'"
    for name in '"a b"' '""' '"a.b"' '(char *)8' NULL; do
        sed "s/.name = \"one\"/.name = $name/" one.c >odd.c
        corun show policy ./odd.c
        refused "cannot use policy ./odd.c: the policy lacks a name of letters, digits and _ -"
    done
    sed 's/"one"/"l1"/' one.c >l1.c # the machine has options l1.ways, mps.chunks
    corun run mm:size=test --policy ./l1.c
    refused "the policy's name 'l1' begins the machine's option l1."
    rows mps 2 "$x" 2 "$n"
    corun run mm:size=test --policy ./mps.c --alone skip
    ended 0
    rows mps 2 "${x/\"x\"/\"chunks\"}" 2 "$n"
    corun run mm:size=test --policy ./mps.c
    refused "the policy's name 'mps' begins the machine's option mps.chunks"
}

# bats test_tags=long
@test "a policy that expects a speedup of more than 1 for each kernel" {
    check "$BAD/boasts.c" --json -
    ended 1
    broken predicts
    holds "any('a weighted speedup of 3.001 of 2 kernels' in (p['why'] or '')
               for p in d['properties'])"
}

# bats test_tags=long
@test "a policy with a memory of its own" {
    check "$BAD/moody.c" --json -
    ended 1
    broken repeat skip
}

@test "a policy that ends the process" {
    sed 's/if (event.*/_Exit(0);/; s/.*nowhere.*//; s/stddef/stdlib/; s/"crashes"/"quits"/' \
        "$BAD/crashes.c" >quits.c
    sed -i 's/(void)state, (void)view;/(void)state, (void)view, (void)event;/' quits.c
    check ./quits.c
    ended 1
    shows 'in `watch` of quits at cycle 0: the process ended with exit status 0'
}

# bats test_tags=long
@test "a shared object is judged like its source" {
    mkdir corun
    cp "$HERE/../../include/corun/"*.h corun
    cc -shared -fPIC -I. -o overfull.so "$BAD/overfull.c"
    check ./overfull.so --json -
    ended 1
    broken fits
}

# bats test_tags=long
@test "the verdict does not depend on processes" {
    check "$BAD/silent.c" --threads 1 --json one.json --quiet
    ended 1
    [ -z "$output" ]
    check "$BAD/silent.c" --threads 3 --json three.json --quiet
    cmp one.json three.json
}

@test "what check does not take" {
    corun check
    refused "expected one policy"
    check leftover spatial
    refused "expected one policy"
    check spatiall
    refused spatiall "'spatial'"
    check 'fixed[blocks=1/1/1/1]'
    refused "refused all runs" "blocks names 4 apps, the run has"
    check leftover --json nowhere/x.json
    refused nowhere/x.json
}

@test "a policy that does not compile: the compiler says why" {
    unset CC
    cat >wrong.c <<'END'
#include "corun/policy.h"
static int admitt(void) { return undeclared_thing; }
END
    for command in "check ./wrong.c" "run mm:size=test --policy ./wrong.c"; do
        corun $command
        refused "cannot use policy ./wrong.c: the C compiler 'cc' reported errors" \
            wrong.c:2: undeclared_thing
    done
    CC=no-such-compiler corun check ./wrong.c
    refused "cannot run the C compiler 'no-such-compiler'"
    CC='no-such-wrapper cc' corun check ./wrong.c
    refused "cannot run the C compiler 'no-such-wrapper cc'"
    CC='env cc' corun check ./wrong.c # two words are a command and its first argument
    refused undeclared_thing
}

# bats test_tags=long,every
@test "what the compiler warns of is said once" {
    sed '1i #warning of something' "$BAD/silent.c" >warns.c
    printf 'apps: [[mm:size=test]]\npolicies: [leftover, ./warns.c]\nalone: skip\n' >sweep.yaml
    for command in "run mm:size=test --policy ./warns.c" "show policy ./warns.c" \
        "compare mm:size=test --policies ./warns.c,leftover,./warns.c+fair --threads 2" \
        "check ./warns.c" "sweep sweep.yaml -o x.db"; do
        corun $command
        [ "$(grep -c 'warning: .*of something' <<<"$stderr")" = 1 ] || { echo "$stderr"; return 1; }
    done
    sed 's/silent_admit,/no_such,/' warns.c >wrong.c
    sed -i s/warns.c/wrong.c/ sweep.yaml
    for command in "run mm:size=test --policy ./wrong.c" "sweep sweep.yaml -o y.db"; do
        corun $command
        refused "reported errors"
        [ "$(grep -c 'error: .*no_such' <<<"$stderr")" = 1 ] || { echo "$stderr"; return 1; }
    done
}

@test "an initial value that its own row does not allow" {
    cat - "$BAD/silent.c" >initial.c <<'END'
#include "corun/policy.h"
static const struct corun_option options[] = {
    {"x", CORUN_NUMBER, "5", 6, 9, NULL, "blocks", "A number."}, {0}};
END
    sed -i 's/^    .name/    .options = options, .name/' initial.c
    corun run mm:size=test --policy ./initial.c
    refused "the initial value of option 'x' is '5', expected a number from 6 to 9 (blocks)"
    sed -i 's/"5"/"7"/' initial.c
    corun show policy ./initial.c
    ended 0
    shows "silent: " "x  " "7" "A number."
}

# bats test_tags=long
@test "a policy of another ABI, of another size, or none" {
    grep -v sentence "$BAD/silent.c" >nameless.c
    check ./nameless.c
    refused "cannot use policy ./nameless.c: the policy lacks a sentence"
    sed 's/\.sentence/.state_bytes = (size_t)-1, &/' "$BAD/silent.c" >huge.c
    corun run mm:size=test --policy ./huge.c
    refused "state_bytes is 18446744073709551615, and 1073741824 at most are possible"
    for abi in 1 9; do
        sed "s/CORUN_POLICY_ABI/$abi/" "$BAD/silent.c" >old.c
        corun run mm:size=test --policy ./old.c
        refused "built for another version of corun/policy.h, abi $abi instead of" \
            "build again with"
    done
    sed 's/= sizeof(struct corun_policy)/= sizeof(struct corun_policy) - 8/' "$BAD/silent.c" >less.c
    corun run mm:size=test --policy ./less.c
    refused "struct corun_policy has" "build again with"
    sed 's/corun_policy corun_policy/corun_policy other_name/' "$BAD/silent.c" >unnamed.c
    corun run mm:size=test --policy ./unnamed.c
    refused "exports neither 'corun_policy' nor 'corun_policy_unnamed'" \
        "exported policies: none (is the struct static?)"
    sed 's/corun_policy corun_policy/&_other/' "$BAD/silent.c" >named.c
    corun run mm:size=test --policy ./named.c
    refused "nor 'corun_policy_named', named like the file" \
        "exported policies: 'corun_policy_other'"
    echo text >text.so
    corun run mm:size=test --policy ./text.so
    refused "cannot use policy ./text.so"
    corun run mm:size=test --policy ./nothing.c
    refused nothing.c
}
