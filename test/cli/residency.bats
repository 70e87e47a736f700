#!/usr/bin/env bats
# Extra blocks under GPUDuet, on the command line.
load common

# Prints the share of registers that a waiting warp keeps.
kept() {
    "$CORUN" run "$1" --gpu maxwell16-duet --policy gpuduet --until window --cycles 30000 \
        --alone skip --quiet --json - | sed -n 's/.*"kept_percent": //p'
}

# Live registers are counted in corun's own code, which has 24 registers. NVIDIA's compiler gives mm
# 62: the same 20 live registers of 62 (64 by units of 4) are 31 %, and a compiler that gives fewer
# than live keeps all.
@test "a waiting warp keeps the live registers, of however many it has" {
    [ "$(kept mm:size=window)" = 83 ]
    [ "$(kept mm:size=window,registers=62)" = 31 ]
    [ "$(kept mm:size=window,registers=8)" = 100 ]
}
