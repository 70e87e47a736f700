/* Prints the study of fragments.h as CSV: fragments STEP DRAWS, registers of a block in steps. */
#include <stdio.h>
#include <stdlib.h>

#include "fragments.h"

int main(int argc, char **argv)
{
    u32 step = argc > 1 ? (u32)strtoul(argv[1], NULL, 10) : 0;
    u32 draws = argc > 2 ? (u32)strtoul(argv[2], NULL, 10) : 1, most = STUDY_REGISTERS / 2;
    if (!step || !draws) {
        fprintf(stderr, "usage: fragments STEP DRAWS\n");
        return 2;
    }
    printf("registers_a,registers_b,first_fit,two_way\n");
    for (u32 a = step; a <= most; a += step)
        for (u32 b = step; b <= most; b += step)
            printf("%u,%u,%.4f,%.4f\n", a, b, fragments_mean(ALLOCATOR_FIRST_FIT, a, b, draws),
                   fragments_mean(ALLOCATOR_2_WAY, a, b, draws));
    return 0;
}
