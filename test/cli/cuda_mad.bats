#!/usr/bin/env bats
# CUDA programs that misbehave (test/cuda/mad.c), and access to CUDA programs by other users.
load common.bash
load cuda.bash

@test "with corun killed a program that waits for nothing of it ends, too" {
    "$CORUN" cuda "$(program mad)" idle >out.txt 2>err.txt &
    corun=$!
    until [ -s out.txt ] && grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.1; done
    pid=$(head -1 out.txt)
    kill -9 $corun
    wait $corun || true
    gone "$pid"
}

@test "with its parent killed, a process between corun and the program, a program ends" {
    "$CORUN" cuda "$(program mad)" idle >out.txt 2>err.txt &
    corun=$!
    until [ -s out.txt ] && grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.1; done
    pid=$(head -1 out.txt)
    parent=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
    [ "$parent" -ne $corun ]
    kill -9 "$parent"
    gone "$pid"
    status=0
    wait $corun || status=$?
    [ $status = 1 ]
    grep -q program-failed out.txt
}

# bats test_tags=long
@test "what no library of corun's sends ends the program, and the result says so" {
    for what in no-greeting unknown length done answer; do
        corun cuda --json - "$(program mad)" $what
        echo "$what"
        ended 1
        holds 'd["status"] == "program-failed"'
        says "app mad: the process violated the protocol of corun's CUDA libraries"
    done
}

@test "a program that ends in the middle of a call has ended" {
    corun cuda --quiet "$(program mad)" half
    ended 1
    says 'exit status 5'
    gone "$(sed -n 1p <<<"$output")"
    # another process of the program that holds the socket ends, too
    corun cuda --quiet "$(program mad)" child
    ended 1
    says 'exit status 5'
    gone "$(sed -n 2p <<<"$output")"
}

interrupted() { # runs mad with the argument and interrupts corun
    "$CORUN" cuda "$(program mad)" "$1" >out.txt 2>err.txt &
    corun=$!
    until [ -s out.txt ] && grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.1; done
    sleep 0.5
    kill -TERM $corun
    status=0
    wait $corun || status=$?
    [ $status = 143 ]
    grep -q interrupted out.txt
    gone "$(head -1 out.txt)"
}

@test "a program that reads no answers can be interrupted" {
    interrupted flood
}

@test "a program that does something else can be interrupted" {
    interrupted idle
}

@test "a program cannot cut off the memory that it shares with corun" {
    corun cuda --quiet "$(program mad)" truncate
    ended 0
}

@test "copies whose sizes wrap around are refused" {
    corun cuda --quiet "$(program mad)" copies
    ended 0
}

@test "another user can open neither a program's socket nor its memory" {
    [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || skip "needs root and setpriv"
    "$CORUN" cuda "$(program mad)" idle >out.txt 2>err.txt &
    corun=$!
    until [ -s out.txt ] && grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.1; done
    pid=$(head -1 out.txt)
    found=0
    for of in "$pid" "$corun"; do
        for fd in "/proc/$of/fd/"*; do
            to=$(readlink "$fd") || continue
            case $to in
            socket:*) # without an address to connect to: the line ends behind the number
                number=${to//[^0-9]/}
                grep -q " $number\$" /proc/net/unix ;;
            /memfd:corun*) head -c 1 "$fd" >/dev/null ;; # root may
            *) continue ;;
            esac
            run setpriv --reuid 65534 --regid 65534 --clear-groups head -c 1 "$fd"
            [ "$status" != 0 ] && [[ $output == *"Permission denied"* ]]
            found=$((found + 1))
        done
    done
    run setpriv --reuid 65534 --regid 65534 --clear-groups cat "/proc/$pid/environ"
    [ "$status" != 0 ]
    kill -9 $corun
    wait $corun || true
    gone "$pid"
    [ $found -ge 3 ]
}
