#!/usr/bin/env bats
# NCCL: operations of ranks against sums on the host, order in streams, refusals, corun cc.
load common.bash
load cuda.bash

@test "NCCL: reductions and copies of every type and operation equal sums on the host" {
    functional turing nccl
    shows 'all right: 9038 checks'
}

@test "NCCL serves CUDA 11 and 12, and static programs" {
    for version in 11 12 static; do
        functional maxwell16 "nccl_$version"
        shows 'all right: 9038 checks'
    done
}

@test "an operation of NCCL follows the work in the streams of all ranks" {
    for program in nccl nccl_static; do
        corun cuda --gpu turing --by kernel "$(program "$program")" order
        ended 0
        shows 'all right: 12 checks' 'reduce_f32'
    done
}

@test "NCCL names what corun lacks, once" {
    functional turing nccl
    for what in 'a communicator of several devices' 'a communicator of several processes' \
                'a communicator of more than 8 ranks' 'a call that differs between its ranks' \
                ncclCommSplit; do
        [ "$(grep -c "corun: NCCL: $what is not supported" <<<"$stderr")" = 1 ]
    done
}

@test "NCCL refuses a rank that would wait for a rank of the same thread" {
    functional turing nccl alone
    shows 'all right: 9 checks'
    grep -q 'a rank that waits for ranks of the same thread is not supported' <<<"$stderr"
}

# bats test_tags=long
@test "a program of corun cc adds with NCCL" {
    clang_here
    cat >sum.cu <<'END_OF_PROGRAM'
#include <cstdio>
#include <nccl.h>
int main()
{
    const int devices[] = {0, 0};
    ncclComm_t comm[2];
    float *x;
    cudaMallocManaged(&x, 2 * sizeof *x);
    x[0] = 3, x[1] = 4;
    if (ncclCommInitAll(comm, 2, devices)) return 1;
    ncclGroupStart();
    for (int r = 0; r < 2; r++) ncclAllReduce(x + r, x + r, 1, ncclFloat, ncclSum, comm[r], 0);
    if (ncclGroupEnd() || cudaDeviceSynchronize()) return 1;
    printf("%g and %g\n", x[0], x[1]);
}
END_OF_PROGRAM
    corun cc sum.cu -o sum -lnccl
    ended 0
    corun cuda --quiet --gpu turing ./sum
    ended 0
    [ "$output" = '7 and 7' ]
}
