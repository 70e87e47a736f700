#!/usr/bin/env bats
# Tables fit the width of the terminal, from COLUMNS; a pipe and an unknown width have 100 columns.
load common

# Runs corun with a terminal of COLUMNS columns as standard output; `-`: COLUMNS is not set.
terminal() { # COLUMNS ARGUMENT...
    output=$(python3 -S - "$CORUN" "$@" <<'END'
import os, pty, sys
binary, columns, *arguments = sys.argv[1:]
os.environ.pop('COLUMNS', None)
if columns != '-':
    os.environ['COLUMNS'] = columns
parts = []
def read(fd):
    parts.append(os.read(fd, 65536))
    return b'.' if parts[-1] else b'' # pty.spawn stops at an empty part
devnull, screen = os.open(os.devnull, os.O_WRONLY), os.dup(1)
os.dup2(devnull, 1) # pty.spawn copies to standard output
quiet = [] if arguments[0] == 'list' else ['--progress', 'none']
pty.spawn([binary, *arguments, *quiet], read)
os.write(screen, b''.join(parts).replace(b'\r\n', b'\n'))
END
    )
}

fits() { # COLUMNS: no line is longer
    [ -n "$output" ]
    longest=$(LC_ALL=C.UTF-8 wc -L <<<"$output")
    [ "$longest" -le "$1" ] || { echo "$longest columns of $1: $output"; return 1; }
}

apps=(mm:size=test bfs:size=test --until window --cycles 2000)
policies='leftover,spatial,spatial[split=14/2,fill=tail],smk-even+dmil'

@test "run fits 60, 80 and 100 columns" {
    for columns in 60 80 100; do
        terminal $columns run "${apps[@]}" --policy 'spatial[split=14/2,fill=tail]'
        fits $columns
        shows "weighted speedup" "instruction throughput" blocks/SM policy simulated
    done
}

@test "compare fits 60, 80 and 100 columns" {
    for columns in 60 80 100; do
        terminal $columns compare "${apps[@]}" --policies "$policies"
        fits $columns
        shows "weighted speedup" "instruction throughput" "normalized IPC" smk-even+dmil
    done
    shows 'spatial[split=14/2,fill=tail]'
    terminal 60 compare "${apps[@]}" --policies "$policies"
    shows 'spatial[s...ll=tail]' # a name without its middle
    [ "$(grep -c '^policy ' <<<"$output")" -gt 1 ] # columns below
}

@test "profile fits 60, 80 and 100 columns" {
    for columns in 60 80 100; do
        terminal $columns profile "${apps[@]}"
        fits $columns
        shows "row locality" "limited by" leads use
    done
}

@test "model fits 60, 80 and 100 columns" {
    for columns in 60 80 100; do
        terminal $columns model 30/20 60/5 50/10
        fits $columns
        shows "weighted speedup" "IPC of all"
    done
}

@test "every list fits 60, 80 and 100 columns, and loses no word" {
    corun list
    names=$(grep -oE 'note: [a-z_]+' <<<"$stderr" | cut -c 7-)
    for name in $names; do
        words() { tr -s ' |\n' '\n' <<<"$output" | sort; }
        terminal 400 list "$name"
        all=$(words) most=$(grep -c . <<<"$output")
        for columns in 60 80 100; do
            terminal $columns list "$name"
            fits $columns
            [ "$(words)" = "$all" ]
        done
        corun list "$name" # a row is a line
        [ "$(words)" = "$all" ]
        [ "$(grep -c . <<<"$output")" -le "$most" ]
    done
}

@test "of tables a pipe and an unknown width have 100 columns, a wide terminal has more" {
    COLUMNS=60 corun compare "${apps[@]}" --policies "$policies" --alone skip
    fits 100
    piped=$output
    grep -qE '^.{86}' <<<"$output"
    terminal - compare "${apps[@]}" --policies "$policies" --alone skip
    [ "$output" = "$piped" ]
    terminal none compare "${apps[@]}" --policies "$policies" --alone skip
    [ "$output" = "$piped" ]
    terminal 300 compare "${apps[@]}" --policies "$policies" --alone skip
    grep -q 'cycles .* instruction throughput$' <<<"$output"
}
