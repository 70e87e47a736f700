/* Functions that move data: each describes the call of a rank. */
#include "cuda/nccl/own.h"

/* Checks a call, and finds its reduction. */
static ncclResult_t run(struct nccl_call call, ncclRedOp_t op)
{
    ncclComm_t comm = call.comm;
    if (!comm || (unsigned)call.type >= ncclNumTypes) return ncclInvalidArgument;
    if (call.root < 0 || call.root >= comm->clique->rank_n) return ncclInvalidArgument;
    int made = (int)op - ncclNumOps;
    if (made >= NCCL_SCALED_SUMS || (int)op < 0) return ncclInvalidArgument;
    if (made >= 0) {
        const struct nccl_scaled_sum *s = &comm->sum[made];
        if (!s->exists || s->type != call.type) return ncclInvalidArgument;
        call.scale = s->scale;
    }
    call.op = made < 0 ? (enum nccl_op)op : NCCL_SCALED_SUM;
    bool is_root = comm->rank == call.root;
    bool reads = call.kind != NCCL_RECEIVE && (call.kind != NCCL_BROADCAST || is_root);
    bool writes = call.kind != NCCL_SEND && (call.kind != NCCL_REDUCE || is_root);
    if (call.n && ((reads && !call.in) || (writes && !call.out))) return ncclInvalidArgument;
    return nccl_do(&call);
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t n, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    return run((struct nccl_call){.kind = NCCL_ALL_REDUCE, .in = send, .out = receive, .n = n,
                                  .type = type, .comm = comm, .stream = stream}, op);
}

ncclResult_t ncclReduce(const void *send, void *receive, size_t n, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    return run((struct nccl_call){.kind = NCCL_REDUCE, .in = send, .out = receive, .n = n,
                                  .type = type, .root = root, .comm = comm, .stream = stream}, op);
}

ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t n, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    return run((struct nccl_call){.kind = NCCL_REDUCE_SCATTER, .in = send, .out = receive, .n = n,
                                  .type = type, .comm = comm, .stream = stream}, op);
}

ncclResult_t ncclBroadcast(const void *send, void *receive, size_t n, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream)
{
    return run((struct nccl_call){.kind = NCCL_BROADCAST, .in = send, .out = receive, .n = n,
                                  .type = type, .root = root, .comm = comm, .stream = stream},
               ncclSum);
}

ncclResult_t ncclBcast(void *at, size_t n, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream)
{
    return ncclBroadcast(at, at, n, type, root, comm, stream);
}

ncclResult_t ncclAllGather(const void *send, void *receive, size_t n, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    return run((struct nccl_call){.kind = NCCL_ALL_GATHER, .in = send, .out = receive, .n = n,
                                  .type = type, .comm = comm, .stream = stream}, ncclSum);
}

ncclResult_t ncclSend(const void *send, size_t n, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    return run((struct nccl_call){.kind = NCCL_SEND, .in = send, .n = n, .type = type,
                                  .root = peer, .comm = comm, .stream = stream}, ncclSum);
}

ncclResult_t ncclRecv(void *receive, size_t n, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    return run((struct nccl_call){.kind = NCCL_RECEIVE, .out = receive, .n = n, .type = type,
                                  .root = peer, .comm = comm, .stream = stream}, ncclSum);
}
