/* Declarations shared by the files of corun's NCCL. The ranks of a communicator are in one process
 * and share the simulated GPU. */
#ifndef CORUN_NCCL_OWN_H
#define CORUN_NCCL_OWN_H

#include <pthread.h>
#include <stdbool.h>

#include "cuda/include/nccl.h"
#include "cuda/library/library.h"
#include "cuda/nccl/kernels.h"

enum nccl_kind { NCCL_ALL_REDUCE, NCCL_REDUCE, NCCL_REDUCE_SCATTER, NCCL_ALL_GATHER,
                 NCCL_BROADCAST, NCCL_SEND, NCCL_RECEIVE };

/* A call of one rank, from the call until all ranks of the operation have called. */
struct nccl_call {
    enum nccl_kind kind;
    const void *in;
    void *out;
    size_t n; /* elements of the function's argument */
    ncclDataType_t type;
    enum nccl_op op;
    struct nccl_scale scale;
    int root; /* or peer */
    ncclComm_t comm;
    cudaStream_t stream;
    bool ended;
    ncclResult_t result; /* once ended */
    struct nccl_call *next;
};

/* What the ranks of a communicator share. */
struct nccl_clique {
    char id[NCCL_UNIQUE_ID_BYTES];
    int rank_n, joined_n, left_n;
    ncclComm_t rank[NCCL_RANKS]; /* NULL: has not joined, or has left */
    struct nccl_clique *next;
};

/* Queues of a rank: collective calls, sends and receives each match in order. */
enum nccl_queue { NCCL_COLLECTIVES, NCCL_SENDS, NCCL_RECEIVES, NCCL_QUEUES };

struct nccl_scaled_sum { /* an operation of ncclRedOpCreatePreMulSum */
    bool exists;
    ncclDataType_t type;
    struct nccl_scale scale;
};
enum { NCCL_SCALED_SUMS = 64 };

struct ncclComm {
    struct nccl_clique *clique;
    int rank;
    cudaEvent_t event;
    struct nccl_call *queue[NCCL_QUEUES];
    struct nccl_scaled_sum sum[NCCL_SCALED_SUMS]; /* by handle, from ncclNumOps on */
};

/* Protects cliques and queues; nccl_change is signalled after a change. */
extern pthread_mutex_t nccl_lock;
extern pthread_cond_t nccl_change;

/* Waits for another thread, with nccl_lock held; false: the process has no other thread. */
bool nccl_wait(void);
/* Keeps a sentence for ncclGetLastError, prints the sentence once, and returns the error. */
ncclResult_t nccl_refuse(ncclResult_t error, const char *what);
/* Waits until all ranks have joined: now, or at the end of the thread's group. */
ncclResult_t nccl_join(ncclComm_t comm);
/* Removes a rank; the last rank of a clique frees the clique. nccl_lock is held. */
void nccl_leave(ncclComm_t comm);
/* Adds a call to the thread's group; outside a group runs the call. */
ncclResult_t nccl_do(const struct nccl_call *call);
/* Launches the kernels of an operation, after all earlier work in the streams of all n calls and
 * before all later work. The calls are in order of ranks, or a send and the receive. */
ncclResult_t nccl_launch(struct nccl_call *const *calls, int n);
size_t nccl_bytes(ncclDataType_t type);

#endif
