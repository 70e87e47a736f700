#!/usr/bin/env bats
# test/pages notices an outdated page; a policy's source is the same in the tree and alone.
load common

TREE=$BATS_TEST_DIRNAME/../..

page() { # TEXT: a page, run
    printf '%s\n' "$1" >page.md
    run python3 "$TREE/test/pages/page.py" "$CORUN" "$PWD/page.md"
}

@test "a page that has gone stale is noticed" {
    page '```console
$ corun list gpus
machine         description
...
$ corun --help
corun: something else
...
```'
    ended 1
    shows "ok 1 - corun list gpus" "not ok 2 - corun --help" "the page has"
}

@test "every digit of a page counts but those of the host" {
    for figure in 1000.5 1000.6; do
        page '```console
$ echo "a 1000.5"; echo "simulated 1.25 M warp instructions/s, 7 MB"
a '$figure'
simulated 0.31 M warp instructions/s, 123 MB
```'
        [ "$status" = "$([ $figure = 1000.5 ]; echo $?)" ]
    done
}

@test "commands outside a checked block are noticed" {
    for text in $'```\n$ corun list gpus\n```' '    $ corun list gpus'; do
        page "$text"
        ended 1
        shows "commands outside"
    done
}

@test "a page is written anew, its ellipses kept" {
    printf '%s\n' '```console' '$ seq 8 12' ... 10 ... '$ echo new' old '```' >page.md
    run python3 "$TREE/test/pages/page.py" "$CORUN" "$PWD/page.md" --write
    ended 0
    [ "$(tail -n 3 page.md | tr '\n' ' ')" = '$ echo new new ``` ' ]
    [ "$(head -n 5 page.md | tail -n 3 | tr '\n' ' ')" = '... 10 ... ' ]
}

@test "a way of sharing in at most 60 lines: no other app has blocks on reserved SMs" {
    block() { # NAME: the last block ```c NAME of the tutorial
        awk -v first="\`\`\`c $1" '$0 == first { text = ""; on = 1; next } $0 == "```" { on = 0 }
            on { text = text $0 "\n" } END { printf "%s", text }' \
            "$TREE/docs/tutorials/your-first-policy.md"
    }
    block reserve.c >reserve.c
    [ "$(grep -c . reserve.c)" -gt 40 ]
    [ "$(wc -l <reserve.c)" -le 60 ]
    cc -std=c11 -Wall -Wextra -Wshadow -Wconversion -Werror -shared -fPIC -I"$TREE/include" \
        -o reserve.so reserve.c
    corun run vecadd:size=test kmeans:size=test --gpu maxwell16 --alone skip --quiet \
        --policy './reserve.so[sms=3/2]' --timeline t.json --json -
    ended 0
    holds 'all(a["checked"] for a in d["apps"])'
    python3 - <<'END'
import json
on = {'vecadd': set(), 'kmeans': set()}     # SMs with blocks of the app
for e in json.load(open('t.json'))['traceEvents']:
    if e.get('ph') == 'X' and 'block' in e.get('args', {}): on[e['cat']].add(e['pid'])
first, second = on['vecadd'], on['kmeans']
assert {0, 1, 2} < first and {3, 4} <= second, on
assert not second & {0, 1, 2} and not first & {3, 4}, on
END
    corun run vecadd:size=test kmeans:size=test --policy './reserve.so[sms=9/8]'
    refused 'app 2 asks for 8 SMs, 7 are left'
}

# bats test_tags=long
@test "a shipped policy's file, used as a file, is the shipped policy" {
    for name in smk_even warped_slicer; do
        for policy in "${name//_/-}" "$TREE/src/policy/blocks/$name.c"; do
            corun run vecadd:size=test kmeans:size=test --policy "$policy" --alone skip --json -
            ended 0
            echo "$output" >"${policy##*[/-]}.json"
            python3 - "${policy##*[/-]}.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for key in ('host', 'policy', 'input_hash'):
    d.pop(key)
json.dump(d, open('%s.bare' % ('file' if sys.argv[1].endswith('.c.json') else 'own'), 'w'))
END
        done
        cmp own.bare file.bare
    done
}
