/* Declarations shared by the files of corun's cuRAND. */
#ifndef CORUN_RAND_H
#define CORUN_RAND_H

#include <stdbool.h>

#include "cuda/include/curand.h"
#include "cuda/rand/element.h"

struct curandGenerator_st {
    enum rand_generator kind;
    bool is_on_host;
    bool is_seeded; /* `states` and `on_device` hold the states at `position` */
    unsigned long long seed, offset, position;
    int words; /* per element of the last results; 0: none since the offset was set */
    struct rand_places places;
    cudaStream_t stream;
    struct rand_state *states, *on_device; /* on_device: NULL for generators on the host */
};

/* Prepares the states of all subsequences for the generator's position. */
curandStatus_t rand_seed(curandGenerator_t g);

#endif
