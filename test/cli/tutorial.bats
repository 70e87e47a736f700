#!/usr/bin/env bats
# docs/your-first-policy.md does what it says; a policy's source is the same in the tree and alone.
load common

TREE=$BATS_TEST_DIRNAME/../..

@test "the page's code compiles, its commands print what it shows" {
    [ -f "$(dirname "$CORUN")/build.ninja" ] || skip "not in its build folder"
    timeout 550 python3 "$HERE/page.py" "$TREE/docs/your-first-policy.md" "$CORUN"
}

@test "a page that has gone stale is noticed" {
    cat >stale.md <<'END'
```console
$ corun --version
corun 0.1.0
$ corun --help
corun: something else
...
```
END
    run python3 "$HERE/page.py" stale.md "$CORUN"
    ended 1
    shows "as the page says: corun --version" "the page has"
}

@test "a shipped policy's file, used as a file, is the shipped policy" {
    for name in smk_even warped_slicer; do
        for policy in "${name//_/-}" "$TREE/src/policy/$name.c"; do
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
