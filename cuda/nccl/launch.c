/* Launches of an operation whose calls of all ranks are known. */
#include "cuda/nccl/own.h"

enum { THREADS = 256, BLOCKS = 512 };

static const struct {
    const char *name;
    unsigned bytes;
} types[ncclNumTypes] = {{"i8", 1},  {"u8", 1},  {"i32", 4}, {"u32", 4}, {"i64", 8},
                         {"u64", 8}, {"f16", 2}, {"f32", 4}, {"f64", 8}, {"bf16", 2}};

size_t nccl_bytes(ncclDataType_t type) { return types[type].bytes; }

static cudaError_t launch(cudaStream_t stream, const char *stem, const char *name,
                          struct nccl_work *w)
{
    if (!w->n) return cudaSuccess;
    return library_launch(stream, stem, name, library_blocks(w->n, THREADS, BLOCKS), THREADS, 0,
                          (void *[]){w});
}

/* Copies w->n bytes from an array to the others, in the widest words. */
static cudaError_t copy(cudaStream_t stream, struct nccl_work *w)
{
    size_t all = (size_t)w->n | (size_t)w->in[0];
    for (int r = 0; r < w->out_n; r++) all |= (size_t)w->out[r];
    bool by_16 = !(all & 15), by_4 = !(all & 3);
    w->in_n = 1, w->n /= by_16 ? 16 : by_4 ? 4 : 1;
    return launch(stream, "copy", by_16 ? "16" : by_4 ? "4" : "1", w);
}

/* Adds the elements from `first` on of all ranks; out: a call, or NULL for all. */
static cudaError_t reduce(struct nccl_call *const *calls, int n, size_t first,
                          const struct nccl_call *out)
{
    const struct nccl_call *c = calls[0];
    struct nccl_work w = {.n = (long long)c->n, .in_n = n, .op = (int)c->op};
    for (int r = 0; r < n; r++) {
        w.in[r] = (const char *)calls[r]->in + first * nccl_bytes(c->type);
        w.scale[r] = calls[r]->scale;
        if (!out) w.out[w.out_n++] = calls[r]->out;
    }
    if (out) w.out[w.out_n++] = out->out;
    return launch(c->stream, "reduce", types[c->type].name, &w);
}

/* Copies the elements of a rank to all ranks, behind `first` elements. */
static cudaError_t spread(struct nccl_call *const *calls, int n, const struct nccl_call *from,
                          size_t first)
{
    const size_t bytes = nccl_bytes(from->type);
    struct nccl_work w = {.in = {from->in}, .n = (long long)(from->n * bytes)};
    for (int r = 0; r < n; r++)
        if ((char *)calls[r]->out + first * bytes != from->in)
            w.out[w.out_n++] = (char *)calls[r]->out + first * bytes;
    return w.out_n ? copy(calls[0]->stream, &w) : cudaSuccess;
}

/* All kernels of an operation of several ranks, in the stream of the first. */
static cudaError_t launch_all(struct nccl_call *const *calls, int n)
{
    const struct nccl_call *c = calls[0];
    cudaError_t error = cudaSuccess;
    switch (c->kind) {
    case NCCL_ALL_REDUCE: return reduce(calls, n, 0, NULL);
    case NCCL_REDUCE: return reduce(calls, n, 0, calls[c->root]);
    case NCCL_BROADCAST: return spread(calls, n, calls[c->root], 0);
    case NCCL_REDUCE_SCATTER:
        for (int r = 0; !error && r < n; r++)
            error = reduce(calls, n, (size_t)r * c->n, calls[r]);
        return error;
    case NCCL_ALL_GATHER:
        for (int r = 0; !error && r < n; r++)
            error = spread(calls, n, calls[r], (size_t)r * c->n);
        return error;
    default: return spread(calls + 1, 1, c, 0);
    }
}

/* The operation of an only rank is a copy, unless the rank's elements are multiplied. */
static cudaError_t launch_one(struct nccl_call *c)
{
    if (c->op == NCCL_SCALED_SUM) return reduce(&c, 1, 0, NULL);
    if (c->in == c->out || !c->n) return cudaSuccess;
    return library_run_time()->cudaMemcpyAsync(c->out, c->in, c->n * nccl_bytes(c->type),
                                               cudaMemcpyDefault, c->stream);
}

/* Makes a stream wait for all earlier work of another stream. */
static cudaError_t follow(cudaStream_t stream, cudaStream_t other, cudaEvent_t event)
{
    const struct library_run_time *run_time = library_run_time();
    if (stream == other) return cudaSuccess;
    cudaError_t error = run_time->cudaEventRecord(event, other);
    return error ? error : run_time->cudaStreamWaitEvent(stream, event, 0);
}

ncclResult_t nccl_launch(struct nccl_call *const *calls, int n)
{
    const struct nccl_call *c = calls[0];
    cudaError_t error = cudaSuccess;
    if (n == 1) return launch_one(calls[0]) ? ncclUnhandledCudaError : ncclSuccess;
    for (int r = 1; !error && r < n; r++)
        error = follow(c->stream, calls[r]->stream, calls[r]->comm->event);
    if (!error) error = launch_all(calls, n);
    for (int r = 1; !error && r < n; r++)
        error = follow(calls[r]->stream, c->stream, c->comm->event);
    return error ? ncclUnhandledCudaError : ncclSuccess;
}
