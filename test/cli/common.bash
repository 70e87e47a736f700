# Helpers of every command line test: $CORUN is the binary, $BATS_TEST_TMPDIR/own the folder of a
# test. A test with the tag `long` is for `make test-all`, with the tag `every` for `make
# test-every`.
bats_require_minimum_version 1.5.0

setup() {
    : "${CORUN:=$BATS_TEST_DIRNAME/../../build/corun}"
    HERE=$BATS_TEST_DIRNAME
    mkdir "$BATS_TEST_TMPDIR/own" # the folder above is also used by bats
    cd "$BATS_TEST_TMPDIR/own"
    export CORUN_CACHE=$BATS_RUN_TMPDIR/cache
    unset NO_COLOR
    ulimit -St "${CORUN_TEST_SECONDS:-300}" # of processor time, each process
    local name
    for name in scale.ptx scale.yaml; do printf '%s\n' "$(<"$HERE/$name")" >"$name"; done
}

# Skips the test unless corun cc finds a clang, by the names searched by corun cc.
clang_here() {
    local name
    for name in ${CORUN_CLANG:-clang $(seq -f clang-%g 16 30)}; do
        ! command -v "$name" >/dev/null || return 0
    done
    skip "clang is not here"
}

# A small machine, made in less time than a full machine.
FEW=(--set sm.count=2 --set map.channels=1)

# Python with the standard library only: starts in half the time.
python3() { command python3 -IS "$@"; }

has_sanitizer() { grep -q __asan_init "$CORUN"; }

# From now on sanitizers, if in use, leave crashes and exit to corun.
no_sanitizer() { export ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0:detect_leaks=0; }

# Prints every eighth line of standard input, by checksum; with CORUN_TEST=every all lines.
some() {
    local line sum of=8
    [ "${CORUN_TEST:-}" != every ] || of=1
    while IFS= read -r line; do
        read -r sum _ < <(printf %s "$line" | cksum)
        ((sum % of)) || printf '%s\n' "$line"
    done
}

# From now on corun's C compiler caches objects, by the contents of a file and the headers beside
# it.
keep_compiled() {
    cat >"$BATS_TEST_TMPDIR/cc" <<'END'
#!/bin/bash
for ((i = 1; i < $#; i++)); do
    [ "${!i}" != -o ] || { j=$((i + 1)) && made=${!j}; }
done
folder=${made%/*} source=${!#}
read -r sum _ < <(echo "$source" | cat - "$source" ./*.h 2>/dev/null | cksum)
kept=${0%/*}/$sum
if [ -e "$kept" ]; then
    cp "$kept" "$made" && sed "s#@#$folder#g" "$kept.d" >"$folder/policy.d"
else
    cc "$@" && cp "$made" "$kept" && sed "s#$folder#@#g" "$folder/policy.d" >"$kept.d"
fi
END
    chmod +x "$BATS_TEST_TMPDIR/cc"
    export CC=$BATS_TEST_TMPDIR/cc
}

# bats removes the folder, as a user, too.
chmod() { LOCKED=1 && command chmod "$@"; }
teardown() { [ -z "${LOCKED:-}" ] || command chmod -R u+rwX "$BATS_TEST_TMPDIR" || true; }

# Runs corun; afterwards $status, $output (standard output), its $lines and $stderr are set. The
# `run` of bats takes longer than most commands of corun.
corun() {
    status=0
    output=$("$CORUN" "$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
    stderr=$(<"$BATS_TEST_TMPDIR/stderr")
    mapfile -t lines <<<"$output"
}

shows() { # each text occurs in standard output
    for text; do
        [[ $output == *"$text"* ]] || { echo "no '$text' in: $output"; return 1; }
    done
}

says() { # each text occurs in the messages
    for text; do
        [[ $stderr == *"$text"* ]] || { echo "no '$text' in: $stderr"; return 1; }
    done
}

ended() { # STATUS
    [ "$status" = "$1" ] || { echo "exit status $status; out: $output; messages: $stderr"; return 1; }
}

refused() { # an error in the user's input, and nothing on standard output
    ended 2
    [ -z "$output" ] || { echo "on standard output: $output"; return 1; }
    says error "$@"
}

# ARGUMENT COLUMN: the messages show the argument with a caret below the column, counted from 1, and
# name no position in the command line.
pointed() {
    says "    $1"$'\n    '"$(printf '%*s' "$2" ^)"
    [[ $stderr != *"command line:"* ]] || { echo "a position in: $stderr"; return 1; }
}

# FILE LINE TEXT: the error's place is the start of TEXT in the line, shown with a caret below.
placed() {
    python3 - "$1" "$2" "$3" "$stderr" <<'END'
import sys
name, line, text = sys.argv[1], int(sys.argv[2]), sys.argv[4].split('\n')
column = open(name, errors='replace').read().split('\n')[line - 1].index(sys.argv[3]) + 1
want = '%s:%d:%d: error: ' % (name, line, column)
for i, l in enumerate(text):
    if l.startswith(want):
        source = open(name, errors='replace').read().split('\n')[line - 1]
        shown, caret = text[i + 1], text[i + 2]
        assert shown.strip() == source.replace('\t', ' ').strip(), (shown, source)
        at = caret.index('^') - shown.index(source.strip()) + len(source) - len(source.lstrip())
        assert at == column - 1, 'the caret is under column %d' % (at + 1)
        sys.exit(0)
sys.exit('no "%s" in:\n%s' % (want, sys.argv[4]))
END
}

# JSON-EXPRESSION: a Python expression over `d`, the result in $output, must hold. With three names
# defined JSON is Python; loading the module json would double the time.
holds() {
    python3 -c 'import sys
d = eval(sys.stdin.read(), {"true": True, "false": False, "null": None})
assert eval(" ".join(sys.argv[1].split())), sys.argv[1]' "$1" <<<"$output"
}
