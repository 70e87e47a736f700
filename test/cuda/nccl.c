/* NCCL: operations of ranks that share the device, against sums on the host. Prints "all right: N
 * checks", or the differences. `order`: a long kernel before an operation, for a run with time.
 * `alone`: a rank that waits for a rank of the same thread. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "cuda/include/nccl.h"
#include "elements.h"

enum { N = 1000, RANKS = 8, TYPES = ncclNumTypes };
static const char letter[TYPES] = {'i', 'i', 'n', 'n', 'l', 'l', 'h', 's', 'd', 'b'};
static ncclComm_t comm[RANKS];
static cudaStream_t stream[RANKS];
static struct array in[RANKS], out[RANKS];

static void is(ncclResult_t result, ncclResult_t right, const char *what)
{
    check(result == right, "%s: %s, not %s", what, ncclGetErrorString(result),
          ncclGetErrorString(right));
}
#define OK(call) is(call, ncclSuccess, #call)

static bool is_unsigned(ncclDataType_t t)
{
    return t == ncclUint8 || t == ncclUint32 || t == ncclUint64;
}
static bool is_whole(ncclDataType_t t) { return t <= ncclUint64; }

static double value(ncclDataType_t t, const void *at, long i)
{
    if (t == ncclUint8) return ((const unsigned char *)at)[i];
    if (t == ncclUint32) return ((const unsigned *)at)[i];
    return creal(get(letter[t], at, i));
}

static void set(ncclDataType_t t, void *at, long i, double x)
{
    if (t == ncclUint8) ((unsigned char *)at)[i] = (unsigned char)x;
    else if (t == ncclUint32) ((unsigned *)at)[i] = (unsigned)x;
    else put(letter[t], at, i, x);
}

/* Arrays of all ranks: the elements of rank r are from 1 - 2r to 3, and for types without sign
 * have the highest bit in some. */
static void make(ncclDataType_t t, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        in[r] = array(letter[t], N * ranks), out[r] = array(letter[t], N * ranks);
        for (long i = 0; i < N * ranks; i++) {
            double x = is_unsigned(t) ? abs(draw(2)) : draw(r + 1) - r + 1;
            if (t == ncclUint8 && i % 3 == r) x += 200;
            if (t == ncclUint32 && i % 3 == r) x += 3e9;
            set(t, in[r].host, i, x);
            set(t, out[r].host, i, 77);
        }
        upload(in[r]), upload(out[r]);
    }
}

static void finish(int ranks)
{
    for (int r = 0; r < ranks; r++) end(in[r]), end(out[r]);
}

static double wrapped(ncclDataType_t t, double x)
{
    if (t == ncclUint8) return fmod(x, 256);
    if (t == ncclUint32) return fmod(x, 4294967296.0);
    if (t == ncclInt8) return (signed char)(long long)x;
    return x;
}

static double result(ncclDataType_t t, ncclRedOp_t op, int ranks, long i)
{
    double x = value(t, in[0].host, i);
    for (int r = 1; r < ranks; r++) {
        double y = value(t, in[r].host, i);
        x = op == ncclProd  ? x * y
            : op == ncclMax ? fmax(x, y)
            : op == ncclMin ? fmin(x, y)
                            : x + y;
        if (is_whole(t)) x = wrapped(t, x);
    }
    return op != ncclAvg ? x : is_whole(t) ? trunc(x / ranks) : x / ranks;
}

/* Compares the device's elements with the host's. */
static void compare(struct array a, ncclDataType_t t, const char *what, int with)
{
    void *found = malloc((size_t)a.n * bytes_of(a.t));
    cudaMemcpy(found, a.device, (size_t)a.n * bytes_of(a.t), cudaMemcpyDeviceToHost);
    long bad = -1;
    double most = is_whole(t) ? 0 : t == ncclFloat64 ? 1e-15 : t == ncclFloat32 ? 1e-6 : 8e-3;
    for (long i = a.n; i--;) {
        double x = value(t, found, i), right = value(t, a.host, i);
        if (fabs(x - right) > most * fabs(right)) bad = i;
    }
    check(bad < 0, "%s, type %d, case %d: element %ld is %g, not %g", what, (int)t, with, bad,
          value(t, found, bad < 0 ? 0 : bad), value(t, a.host, bad < 0 ? 0 : bad));
    free(found);
}

/* Runs a call for each rank r in a group. */
#define ALL(ranks, call)                                                                           \
    do {                                                                                           \
        OK(ncclGroupStart());                                                                      \
        for (int r = 0; r < (ranks); r++) OK(call);                                                \
        OK(ncclGroupEnd());                                                                        \
    } while (0)

static void synchronize(int ranks)
{
    for (int r = 0; r < ranks; r++) check(!cudaStreamSynchronize(stream[r]), "synchronize %d", r);
}

static void reductions(ncclDataType_t t, int ranks)
{
    for (int op = 0; op < ncclNumOps; op++) {
        ncclRedOp_t o = (ncclRedOp_t)op;
        int root = ranks - 1;
        if (t >= ncclFloat16 && o == ncclProd && ranks == RANKS) continue; /* rounds */
        make(t, ranks);
        ALL(ranks, ncclAllReduce(in[r].device, out[r].device, N, t, o, comm[r], stream[r]));
        synchronize(ranks);
        for (int r = 0; r < ranks; r++) {
            for (long i = 0; i < N; i++) set(t, out[r].host, i, result(t, o, ranks, i));
            compare(out[r], t, "AllReduce", op);
        }
        ALL(ranks, ncclReduceScatter(in[r].device, (char *)out[r].device + bytes_of(letter[t]),
                                     N - 1, t, o, comm[r], stream[r]));
        synchronize(ranks);
        for (int r = 0; r < ranks; r++) {
            for (long i = 1; i < N; i++)
                set(t, out[r].host, i, result(t, o, ranks, r * (N - 1) + i - 1));
            compare(out[r], t, "ReduceScatter", op);
        }
        ALL(ranks, ncclReduce(in[r].device, r == root ? in[r].device : NULL, N, t, o, root, comm[r],
                              stream[r]));
        synchronize(ranks);
        for (long i = 0; i < N; i++) set(t, out[root].host, i, result(t, o, ranks, i));
        memcpy(in[root].host, out[root].host, N * bytes_of(letter[t]));
        for (int r = 0; r < ranks; r++) compare(in[r], t, "Reduce", op);
        finish(ranks);
    }
}

static void copies(ncclDataType_t t, int ranks)
{
    const size_t bytes = bytes_of(letter[t]);
    make(t, ranks);
    ALL(ranks, ncclAllGather(in[r].device, out[r].device, N, t, comm[r], stream[r]));
    synchronize(ranks);
    for (int r = 0; r < ranks; r++) {
        for (int s = 0; s < ranks; s++)
            memcpy((char *)out[r].host + (size_t)s * N * bytes, in[s].host, N * bytes);
        compare(out[r], t, "AllGather", ranks);
    }
    for (int r = 0; r < ranks; r++) upload(in[r]);
    ALL(ranks, ncclAllGather((char *)in[r].device + (size_t)r * N * bytes, in[r].device, N, t,
                             comm[r], stream[r]));
    synchronize(ranks);
    for (int r = 0; r < ranks; r++) {
        for (int s = 0; s < ranks; s++) {
            size_t at = (size_t)s * N * bytes;
            memcpy((char *)in[r].host + at, (char *)in[s].host + at, N * bytes);
        }
        compare(in[r], t, "AllGather in place", ranks);
    }
    int root = ranks / 2;
    set(t, in[root].host, 1, 5), upload(in[root]);
    ALL(ranks, ncclBroadcast(r == root ? in[r].device : NULL, (char *)out[r].device + bytes,
                             N - 8, t, root, comm[r], stream[r])); /* N - 8: a multiple of 16 */
    synchronize(ranks);
    for (int r = 0; r < ranks; r++) {
        memcpy((char *)out[r].host + bytes, in[root].host, (N - 8) * bytes);
        compare(out[r], t, "Broadcast", ranks);
    }
    OK(ncclGroupStart()); /* around the ring, and to itself */
    for (int r = 0; r < ranks; r++) {
        OK(ncclRecv(out[r].device, N, t, (r + ranks - 1) % ranks, comm[r], stream[r]));
        OK(ncclSend(in[r].device, N, t, (r + 1) % ranks, comm[r], stream[r]));
    }
    OK(ncclGroupEnd());
    synchronize(ranks);
    for (int r = 0; r < ranks; r++) {
        memcpy(out[r].host, in[(r + ranks - 1) % ranks].host, N * bytes);
        compare(out[r], t, "Send and Recv", ranks);
    }
    if (ranks > 2) { /* rank 0 receives in another order than the ranks send */
        OK(ncclGroupStart());
        for (int r = 2; r; r--) {
            char *at = (char *)out[0].device + (size_t)r * N * bytes;
            OK(ncclRecv(at, N, t, r, comm[0], stream[0]));
        }
        for (int r = 1; r < 3; r++) OK(ncclSend(in[r].device, N, t, 0, comm[r], stream[0]));
        OK(ncclGroupEnd());
        synchronize(1);
        for (size_t r = 1; r < 3; r++)
            memcpy((char *)out[0].host + r * N * bytes, in[r].host, N * bytes);
        compare(out[0], t, "Recv of two ranks", ranks);
    }
    finish(ranks);
}

static void scaled_sums(ncclDataType_t t, int ranks)
{
    ncclRedOp_t op[RANKS], other;
    void *scalar;
    unsigned char bits[RANKS * 8];
    make(t, ranks);
    cudaMalloc(&scalar, sizeof bits);
    for (int r = 0; r < ranks; r++) set(t, bits, r, r + 2);
    cudaMemcpy(scalar, bits, sizeof bits, cudaMemcpyHostToDevice);
    for (int r = 0; r < ranks; r++) {
        OK(ncclRedOpCreatePreMulSum(&other, bits, t, ncclScalarHostImmediate, comm[r]));
        size_t at = (size_t)r * bytes_of(letter[t]);
        OK(ncclRedOpCreatePreMulSum(&op[r], r & 1 ? (char *)scalar + at : (char *)bits + at, t,
                                    r & 1 ? ncclScalarDevice : ncclScalarHostImmediate, comm[r]));
        OK(ncclRedOpDestroy(other, comm[r]));
        is(ncclRedOpDestroy(other, comm[r]), ncclInvalidArgument, "destroyed twice");
    }
    ALL(ranks, ncclAllReduce(in[r].device, out[r].device, N, t, op[r], comm[r], stream[r]));
    synchronize(ranks);
    for (int r = 0; r < ranks; r++) {
        for (long i = 0; i < N; i++) {
            double sum = 0;
            for (int s = 0; s < ranks; s++) sum += value(t, in[s].host, i) * (s + 2);
            set(t, out[r].host, i, wrapped(t, sum));
        }
        compare(out[r], t, "premultiplied sum", ranks);
        OK(ncclRedOpDestroy(op[r], comm[r]));
    }
    cudaFree(scalar);
    finish(ranks);
}

/* ---- threads: a rank each, without groups ---- */

static ncclUniqueId id;

static void *rank_of_a_thread(void *argument)
{
    int r = (int)(size_t)argument;
    ncclComm_t c;
    if (ncclCommInitRank(&c, 3, id, r)) return "ncclCommInitRank";
    for (int i = 0; i < 20; i++)
        if (ncclAllReduce(in[r].device, out[r].device, N, ncclInt32, ncclSum, c, stream[r]))
            return "ncclAllReduce";
    if (r && ncclSend(in[r].device, N, ncclInt32, 0, c, stream[r])) return "ncclSend";
    for (int from = 1; !r && from < 3; from++)
        if (ncclRecv((int *)out[0].device + from * N, N, ncclInt32, from, c, stream[0]))
            return "ncclRecv";
    return ncclCommDestroy(c) ? "ncclCommDestroy" : NULL;
}

static void threads(void)
{
    pthread_t thread[3];
    make(ncclInt32, 3);
    OK(ncclGetUniqueId(&id));
    for (size_t r = 0; r < 3; r++) pthread_create(&thread[r], NULL, rank_of_a_thread, (void *)r);
    for (int r = 0; r < 3; r++) {
        void *failed;
        pthread_join(thread[r], &failed);
        check(!failed, "thread %d: %s failed", r, failed ? (const char *)failed : "");
    }
    synchronize(3);
    for (int r = 0; r < 3; r++) {
        for (long i = 0; i < N; i++)
            set(ncclInt32, out[r].host, i, result(ncclInt32, ncclSum, 3, i));
        if (r) memcpy((int *)out[0].host + r * N, in[r].host, N * sizeof(int));
    }
    for (int r = 0; r < 3; r++) compare(out[r], ncclInt32, "threads", r);
    finish(3);
}

/* ---- refusals ---- */

static void refusals(void)
{
    ncclComm_t c, several[9];
    ncclUniqueId other;
    int two[] = {0, 1}, n = 0;
    void *at = in[0].device;
    OK(ncclGetUniqueId(&id));
    OK(ncclGetUniqueId(&other));
    check(memcmp(&id, &other, sizeof id) != 0, "two identifiers are equal");
    is(ncclCommInitAll(several, 2, NULL), ncclInvalidArgument, "two devices");
    is(ncclCommInitAll(several, 2, two), ncclInvalidArgument, "two devices of a list");
    check(strstr(ncclGetLastError(NULL), "several devices") != NULL, "the last error");
    is(ncclCommInitRank(&c, 9, id, 0), ncclInvalidUsage, "nine ranks");
    is(ncclCommInitRank(&c, 2, id, 2), ncclInvalidArgument, "rank 2 of 2");
    memset(&other, 'x', sizeof other);
    is(ncclCommInitRank(&c, 2, other, 0), ncclInvalidUsage, "another process");
    is(ncclAllReduce(at, at, 1, ncclInt32, ncclSum, NULL, NULL), ncclInvalidArgument, "no comm");
    is(ncclAllReduce(at, at, 1, ncclNumTypes, ncclSum, comm[0], NULL), ncclInvalidArgument, "type");
    is(ncclAllReduce(at, at, 1, ncclInt32, ncclNumOps, comm[0], NULL), ncclInvalidArgument, "op");
    is(ncclAllReduce(NULL, at, 1, ncclInt32, ncclSum, comm[0], NULL), ncclInvalidArgument, "in");
    is(ncclBroadcast(at, at, 1, ncclInt32, 2, comm[0], NULL), ncclInvalidArgument, "root");
    OK(ncclGroupStart());
    for (int r = 0; r < 2; r++)
        OK(ncclAllReduce(at, at, (size_t)r + 1, ncclInt32, ncclSum, comm[r], NULL));
    is(ncclGroupEnd(), ncclInvalidUsage, "ranks with different counts");
    is(ncclGroupEnd(), ncclInvalidUsage, "no group");
    OK(ncclGetVersion(&n));
    check(n == 22105, "version %d", n);
    OK(ncclCommCount(comm[1], &n));
    check(n == 2, "%d ranks", n);
    OK(ncclCommUserRank(comm[1], &n));
    check(n == 1, "rank %d", n);
    ncclResult_t error = ncclInternalError;
    OK(ncclCommGetAsyncError(comm[1], &error));
    OK(error);
    ncclResult_t ncclCommSplit(void);
    is(ncclCommSplit(), ncclInvalidUsage, "split");
}

static void open_ranks(int ranks)
{
    int zeros[RANKS] = {0};
    OK(ncclCommInitAll(comm, ranks, zeros));
}

static void close_ranks(int ranks)
{
    for (int r = 0; r < ranks; r++) {
        OK(ncclCommFinalize(comm[r]));
        OK(ncclCommDestroy(comm[r]));
    }
}

/* Rank 1 adds numbers that a long kernel of the same stream writes, and rank 1's stream waits for
 * the kernel in the stream of rank 0. */
static void order(void)
{
    enum { MANY = 200000 };
    ncclComm_t only;
    ncclRedOp_t triple;
    float three = 3;
    size_t bytes = MANY * sizeof(float);
    float *x, *sum[2], *host = malloc(bytes);
    for (int i = 0; i < MANY; i++) host[i] = 1;
    cudaMalloc((void **)&x, bytes), cudaMalloc((void **)&sum[0], bytes);
    cudaMalloc((void **)&sum[1], bytes);
    cudaMemcpy(x, host, bytes, cudaMemcpyHostToDevice);
    open_ranks(1);
    only = comm[0];
    OK(ncclRedOpCreatePreMulSum(&triple, &three, ncclFloat32, ncclScalarHostImmediate, only));
    open_ranks(2);
    OK(ncclAllReduce(x, x, MANY, ncclFloat32, triple, only, stream[1]));
    ALL(2, ncclAllReduce(x, sum[r], MANY, ncclFloat32, ncclSum, comm[r], stream[r]));
    OK(ncclAllReduce(sum[1], sum[1], MANY, ncclFloat32, triple, only, stream[1]));
    synchronize(2);
    cudaMemcpy(host, sum[1], bytes, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < MANY; i++) bad += host[i] != 18.0f;
    check(!bad, "%d sums are not 18; the last is %g", bad, (double)host[MANY - 1]);
}

static void alone(void)
{
    ncclComm_t c;
    OK(ncclGetUniqueId(&id));
    is(ncclCommInitRank(&c, 2, id, 0), ncclInvalidUsage, "rank 0 of 2 without a group");
    open_ranks(2);
    make(ncclInt32, 2);
    is(ncclAllReduce(in[0].device, out[0].device, N, ncclInt32, ncclSum, comm[0], NULL),
       ncclInvalidUsage, "rank 0 of 2 without a group");
    ALL(2, ncclAllReduce(in[r].device, out[r].device, N, ncclInt32, ncclSum, comm[r], NULL));
    for (long i = 0; i < N; i++) set(ncclInt32, out[0].host, i, result(ncclInt32, ncclSum, 2, i));
    compare(out[0], ncclInt32, "after a refusal", 0);
}

int main(int argc, char **argv)
{
    for (int r = 0; r < RANKS; r++) cudaStreamCreateWithFlags(&stream[r], cudaStreamNonBlocking);
    if (argc > 1 && !strcmp(argv[1], "order")) {
        order();
    } else if (argc > 1) {
        alone();
    } else {
        static const int ranks[] = {1, 3, RANKS};
        for (int i = 0; i < 3; i++) {
            open_ranks(ranks[i]);
            for (int t = 0; t < TYPES; t++) {
                reductions((ncclDataType_t)t, ranks[i]);
                copies((ncclDataType_t)t, ranks[i]);
                scaled_sums((ncclDataType_t)t, ranks[i]);
            }
            close_ranks(ranks[i]);
        }
        threads();
        open_ranks(2);
        make(ncclInt32, 2);
        refusals();
        finish(2);
        close_ranks(2);
    }
    if (wrong) printf("%d of %d checks failed\n", wrong, checks);
    else printf("all right: %d checks\n", checks);
    return wrong != 0;
}
