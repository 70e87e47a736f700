/* Communicators: identifiers, ranks, queries, reductions made by the program, memory. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/nccl/own.h"

pthread_mutex_t nccl_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t nccl_change = PTHREAD_COND_INITIALIZER;
static struct nccl_clique *cliques; /* in which a rank is missing or left */
static const char *_Atomic last_error = "";

/* ---- errors, versions ---- */

ncclResult_t nccl_refuse(ncclResult_t error, const char *what)
{
    atomic_store(&last_error, what);
    library_missing("NCCL", what);
    return error;
}

const char *ncclGetErrorString(ncclResult_t result)
{
    switch (result) {
#define ERROR(name, sentence) case name: return sentence;
#include "cuda/nccl/error.def"
#undef ERROR
    default: return "unknown error";
    }
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return atomic_load(&last_error);
}

ncclResult_t ncclGetVersion(int *version)
{
    if (!version) return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

/* ---- communicators ---- */

/* The text of an identifier names the process: ranks of another process are refused. */
ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    static atomic_uint n;
    if (!id) return ncclInvalidArgument;
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "corun %ld %u", (long)getpid(),
             atomic_fetch_add(&n, 1));
    return ncclSuccess;
}

static bool is_of_this_process(const ncclUniqueId *id)
{
    char start[40];
    int n = snprintf(start, sizeof start, "corun %ld ", (long)getpid());
    return !memcmp(id->internal, start, (size_t)n);
}

static struct nccl_clique *find_clique(const char *id)
{
    struct nccl_clique *c = cliques;
    while (c && memcmp(c->id, id, sizeof c->id) != 0) c = c->next;
    return c;
}

static struct nccl_clique *clique_of(const char *id, int rank_n)
{
    struct nccl_clique *c = find_clique(id);
    if (c || !(c = calloc(1, sizeof *c))) return c;
    memcpy(c->id, id, sizeof c->id);
    c->rank_n = rank_n, c->next = cliques;
    return cliques = c;
}

static ncclResult_t enter(ncclComm_t comm, const char *id, int rank_n)
{
    struct nccl_clique *c = clique_of(id, rank_n);
    if (!c) return ncclSystemError;
    if (c->rank_n != rank_n || c->rank[comm->rank]) return ncclInvalidArgument;
    comm->clique = c;
    c->rank[comm->rank] = comm, c->joined_n++;
    pthread_cond_broadcast(&nccl_change);
    return ncclSuccess;
}

void nccl_leave(ncclComm_t comm)
{
    struct nccl_clique *c = comm->clique, **at = &cliques;
    c->rank[comm->rank] = NULL, c->left_n++;
    if (c->left_n < c->joined_n) return;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    free(c);
}

static void discard(ncclComm_t comm)
{
    const struct library_run_time *run_time = library_run_time();
    if (run_time) run_time->cudaEventDestroy(comm->event);
    free(comm);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int rank_n, ncclUniqueId id, int rank)
{
    const struct library_run_time *run_time = library_run_time();
    if (!comm || rank_n < 1 || rank < 0 || rank >= rank_n) return ncclInvalidArgument;
    *comm = NULL;
    if (!is_of_this_process(&id))
        return nccl_refuse(ncclInvalidUsage, "a communicator of several processes");
    if (rank_n > NCCL_RANKS)
        return nccl_refuse(ncclInvalidUsage, "a communicator of more than 8 ranks");
    if (!run_time) return ncclUnhandledCudaError;
    ncclComm_t made = calloc(1, sizeof *made);
    if (!made) return ncclSystemError;
    made->rank = rank;
    if (run_time->cudaEventCreateWithFlags(&made->event, cudaEventDisableTiming)) {
        free(made);
        return ncclUnhandledCudaError;
    }
    pthread_mutex_lock(&nccl_lock);
    ncclResult_t result = enter(made, id.internal, rank_n);
    pthread_mutex_unlock(&nccl_lock);
    if (!result && (result = nccl_join(made))) {
        pthread_mutex_lock(&nccl_lock);
        nccl_leave(made);
        pthread_mutex_unlock(&nccl_lock);
    }
    if (result) discard(made);
    else *comm = made;
    return result;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int rank_n, ncclUniqueId id, int rank,
                                    ncclConfig_t *config)
{
    (void)config;
    return ncclCommInitRank(comm, rank_n, id, rank);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int n, const int *device)
{
    ncclUniqueId id;
    if (!comms || n < 1) return ncclInvalidArgument;
    for (int i = 0; i < n; i++)
        if (device ? device[i] : i)
            return nccl_refuse(ncclInvalidArgument, "a communicator of several devices");
    ncclResult_t result = ncclGetUniqueId(&id);
    if (!result) result = ncclGroupStart();
    for (int i = 0; !result && i < n; i++) result = ncclCommInitRank(&comms[i], n, id, i);
    ncclResult_t end = ncclGroupEnd();
    return result ? result : end;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    if (!comm) return ncclSuccess;
    pthread_mutex_lock(&nccl_lock);
    nccl_leave(comm);
    pthread_mutex_unlock(&nccl_lock);
    discard(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) { return ncclCommDestroy(comm); }

ncclResult_t ncclCommFinalize(ncclComm_t comm) { return comm ? ncclSuccess : ncclInvalidArgument; }

/* A function that stores a value of a communicator. */
#define GIVES(name, C, T, value)                                                                   \
    ncclResult_t name(C comm, T *out)                                                              \
    {                                                                                              \
        if (!comm || !out) return ncclInvalidArgument;                                             \
        *out = value;                                                                              \
        return ncclSuccess;                                                                        \
    }
GIVES(ncclCommGetAsyncError, ncclComm_t, ncclResult_t, ncclSuccess)
GIVES(ncclCommCount, const ncclComm_t, int, comm->clique->rank_n)
GIVES(ncclCommCuDevice, const ncclComm_t, int, 0)
GIVES(ncclCommUserRank, const ncclComm_t, int, comm->rank)

/* ---- reductions made by the program ---- */

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm)
{
    if (!op || !scalar || !comm || (unsigned)type >= ncclNumTypes) return ncclInvalidArgument;
    int i = 0;
    while (i < NCCL_SCALED_SUMS && comm->sum[i].exists) i++;
    if (i == NCCL_SCALED_SUMS) return ncclInternalError;
    struct nccl_scaled_sum *s = &comm->sum[i];
    *s = (struct nccl_scaled_sum){.exists = true, .type = type};
    if (residence == ncclScalarDevice) s->scale.at = scalar;
    else memcpy(&s->scale.bits, scalar, nccl_bytes(type));
    *op = (ncclRedOp_t)(ncclNumOps + i);
    return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
    int i = (int)op - ncclNumOps;
    if (!comm || i < 0 || i >= NCCL_SCALED_SUMS || !comm->sum[i].exists) return ncclInvalidArgument;
    comm->sum[i].exists = false;
    return ncclSuccess;
}

/* ---- memory ---- */

ncclResult_t ncclMemAlloc(void **at, size_t bytes)
{
    const struct library_run_time *run_time = library_run_time();
    return run_time && !run_time->cudaMalloc(at, bytes) ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void *at)
{
    const struct library_run_time *run_time = library_run_time();
    return run_time && !run_time->cudaFree(at) ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void *at, size_t bytes, void **handle)
{
    (void)bytes;
    if (!comm || !handle) return ncclInvalidArgument;
    *handle = at;
    return ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle)
{
    (void)handle;
    return comm ? ncclSuccess : ncclInvalidArgument;
}
