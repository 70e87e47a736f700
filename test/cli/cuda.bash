# What tests of CUDA programs use.

program() { echo "$(dirname "$CORUN")/test/cuda/$1"; }

# Whether the process with this id has ended, within some seconds.
gone() {
    for i in $(seq 100); do
        [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" || return 0
        sleep 0.1
    done
    return 1
}
