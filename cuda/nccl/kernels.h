/* What host and kernels of NCCL share. */
#ifndef CORUN_NCCL_KERNELS_H
#define CORUN_NCCL_KERNELS_H

/* Ranks of a communicator. The kernels unroll their loops over ranks: an index known at
 * compile time keeps the arguments of a launch out of local memory. */
enum { NCCL_RANKS = 8 };

enum nccl_op { NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG, NCCL_SCALED_SUM };

/* Factor of a rank's elements, for NCCL_SCALED_SUM: at a device address, or in `bits`. */
struct nccl_scale {
    const void *at;
    unsigned long long bits;
};

/* Elements of in_n arrays are combined and stored in out_n arrays. */
struct nccl_work {
    const void *in[NCCL_RANKS];
    void *out[NCCL_RANKS];
    struct nccl_scale scale[NCCL_RANKS];
    long long n;
    int in_n, out_n, op;
};

#endif
