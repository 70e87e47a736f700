#!/usr/bin/env bats
# Isolated runs: their share of the GPU.
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
    refused "needs a policy giving each app separate SMs"
}
