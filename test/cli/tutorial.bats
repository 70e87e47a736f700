#!/usr/bin/env bats
# docs/your-first-policy.md and docs/using.md do what they say; a policy's source is the same in the
# tree and alone.
load common

TREE=$BATS_TEST_DIRNAME/../..

@test "the pages' code compiles, their commands print what they show" {
    [ -f "$(dirname "$CORUN")/build.ninja" ] || skip "not in its build folder"
    run timeout 550 python3 "$HERE/page.py" "$TREE/docs/your-first-policy.md" "$CORUN"
    ended 0
    [ "${#lines[@]}" -ge 10 ]
    run timeout 100 python3 "$HERE/page.py" "$TREE/docs/using.md" "$CORUN"
    ended 0
    [ "${#lines[@]}" = 4 ]
}

@test "a page that has gone stale is noticed" {
    cat >stale.md <<'END'
```console
$ corun list gpus
machine         what it is
...
$ corun --help
corun: something else
...
```
END
    run python3 "$HERE/page.py" stale.md "$CORUN"
    ended 1
    shows "as the page says: corun list gpus" "the page has"
}

@test "a figure that is off by more than 2 % is noticed, in a line of others too" {
    page() { # FIGURE...: the page says them, the command prints 1,000.5 -0.50 7
        printf '```console\n$ echo "a 1,000.5 b -0.50 c 7"\na %s  b %s  c %s\n```\n' "$@" >page.md
        run python3 "$HERE/page.py" page.md "$CORUN"
    }
    for figures in '1,000.5 -0.50 7' '1,020 -0.505 7' '985 -0.495 7.1'; do
        page $figures
        ended 0
    done
    for figures in '1,022 -0.50 7' '10,005 -0.50 7' '1,000.5 0.50 7' '1,000.5 - 7' '1,000.5 -0.50 8'
    do
        page $figures
        ended 1
        shows "prints" "the page has"
    done
}

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
