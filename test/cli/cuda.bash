# Helpers of tests of CUDA programs.

program() { echo "${CORUN%/*}/test/cuda/$1"; }

# Runs a program of test/cuda on a machine, all kernels functionally.
functional() { # MACHINE PROGRAM [ARGUMENT]
    corun cuda --quiet --gpu "$1" --skip-kernels all "$(program "$2")" "${@:3}"
    [ "$status" = 0 ]
}

# Runs corun on a small machine.
small() { corun "$1" "${FEW[@]}" "${@:2}"; }

# True if the process with this id ends within some seconds.
gone() {
    for i in $(seq 200); do
        [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" || return 0
        sleep 0.05
    done
    return 1
}

# Kills corun, process $1, once the program has written its own process id to out.txt: both end.
ends_with_corun() {
    until [ -s out.txt ] && grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.05; done
    kill -9 "$1"
    wait "$1" || true
    gone "$(grep -m1 '^[0-9][0-9]*$' out.txt)"
}
