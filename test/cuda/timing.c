/* Times of launches and copies as a program measures times with events: prints lines "WHAT US".
 * timing: the times. timing check: with --set link.gbs=10,link.pageable_gbs=5,link.latency_ns=1000
 * and launches of 2000, 1000 and 500 ns prints "all right", or the failing check. timing within:
 * the same of check_within. */
#include "test/cuda/kernels.h"

enum { N = 100 };
static char *pinned, *pageable, *device;

static double us(cudaEvent_t a, cudaEvent_t b)
{
    float ms;
    CALL(cudaEventSynchronize(b));
    CALL(cudaEventElapsedTime(&ms, a, b));
    return (double)ms * 1000;
}

static cudaEvent_t mark(cudaStream_t stream)
{
    cudaEvent_t e;
    CALL(cudaEventCreate(&e));
    CALL(cudaEventRecord(e, stream));
    return e;
}

/* Launches a kernel that returns at once. */
static void launch_nothing(cudaStream_t stream)
{
    unsigned n = 0;
    void *arguments[] = {&device, &device, &device, &n};
    const dim3 one = {1, 1, 1};
    CALL(cudaLaunchKernel(&add, one, one, arguments, 0, stream));
}

static double launches(unsigned n, cudaStream_t stream)
{
    cudaEvent_t a = mark(stream);
    for (unsigned k = 0; k < n; k++) launch_nothing(stream);
    return us(a, mark(stream));
}

static double graph(unsigned n)
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    CALL(cudaStreamCreate(&s));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (unsigned k = 0; k < n; k++) launch_nothing(s);
    CALL(cudaStreamEndCapture(s, &g));
    CALL(cudaGraphInstantiateWithFlags(&exec, g, 0));
    cudaEvent_t a = mark(s);
    CALL(cudaGraphLaunch(exec, s));
    return us(a, mark(s));
}

static double copy(void *to, const void *from, size_t bytes)
{
    cudaEvent_t a = mark(NULL);
    CALL(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    return us(a, mark(NULL));
}

static double fill(void *at, size_t bytes, cudaStream_t stream)
{
    cudaEvent_t a = mark(stream);
    CALL(cudaMemsetAsync(at, 1, bytes, stream));
    return us(a, mark(stream));
}

/* A copy within the device and, in a stream that does not wait for the copy, a copy from the host,
 * before that with `fills` a fill: the time until the end of the copy from the host. */
static double copy_beside(size_t bytes, bool fills)
{
    cudaStream_t s[2];
    for (int k = 0; k < 2; k++) CALL(cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking));
    cudaEvent_t a = mark(s[0]);
    CALL(cudaMemcpyAsync(device, device + bytes, bytes, cudaMemcpyDefault, s[0]));
    if (fills) CALL(cudaMemsetAsync(device + 2 * bytes, 0, bytes, s[1]));
    CALL(cudaMemcpyAsync(device + 3 * bytes, pinned, bytes, cudaMemcpyDefault, s[1]));
    cudaEvent_t end = mark(s[1]);
    us(a, mark(s[0]));
    return us(a, end);
}

/* Two copies of pinned memory that may overlap: both to the device, or one in each direction. */
static double two_copies(size_t bytes, bool both_ways)
{
    cudaStream_t s[2];
    for (int k = 0; k < 2; k++) CALL(cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking));
    cudaEvent_t a = mark(s[0]);
    CALL(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyDefault, s[0]));
    if (both_ways) CALL(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDefault, s[1]));
    else CALL(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyDefault, s[1]));
    cudaEvent_t ends[2] = {mark(s[0]), mark(s[1])};
    double first = us(a, ends[0]), second = us(a, ends[1]);
    return first > second ? first : second;
}

static void show(void)
{
    static const struct {
        const char *name;
        size_t bytes;
    } sizes[] = {{"16 KB", 16 << 10}, {"1 MB", 1 << 20}, {"16 MB", 16 << 20}, {"64 MB", 64 << 20}};
    double one = launches(1, NULL);
    printf("launch latency %.3f\n", one);
    printf("launch gap %.3f\n", (launches(N, NULL) - one) / (N - 1));
    printf("graph node %.3f\n", (graph(N) - graph(1)) / (N - 1));
    const size_t large = 256 << 20;
    char *other;
    CALL(cudaMalloc((void **)&other, large));
    for (unsigned k = 0; k < 4; k++) {
        size_t n = sizes[k].bytes;
        const char *name = sizes[k].name;
        printf("pinned to device, %s %.2f\n", name, copy(device, pinned, n));
        printf("device to pinned, %s %.2f\n", name, copy(pinned, device, n));
        printf("pageable to device, %s %.2f\n", name, copy(device, pageable, n));
        printf("device to pageable, %s %.2f\n", name, copy(pageable, device, n));
        printf("device to device, %s %.2f\n", name, copy(other, device, n));
    }
    printf("fill, 256 MB %.2f\n", fill(other, large, NULL));
    CALL(cudaFree(other));
}

/* True if a time is `right`, and at most 0.5 us more. */
static bool is(double time, double right) { return time > right - 0.01 && time < right + 0.5; }

static void check(void)
{
    double one = launches(1, NULL);
    NEED(is(one, 2));                                         /* latency of the first launch */
    NEED(is(launches(11, NULL) - one, 10));                   /* ten gaps */
    NEED(is(graph(11) - graph(1), 5));                        /* ten gaps of nodes */
    NEED(is(copy(device, pinned, 100000), 11));               /* 1 us and 10 GB/s */
    NEED(is(copy(pinned, device, 100000), 11));
    NEED(is(copy(device, pageable, 100000), 21));
    NEED(is(copy(pageable, device, 100000), 21));
    CALL(cudaHostRegister(pageable, 100000, cudaHostRegisterDefault)); /* now pinned */
    NEED(is(copy(device, pageable, 100000), 11));
    NEED(is(copy(pageable, device, 100000), 11));
    CALL(cudaHostUnregister(pageable));
    NEED(copy(device, device + 200000, 100000) < 0.01);       /* within the device */
    NEED(fill(device, 100000, NULL) < 0.01);
    NEED(is(two_copies(100000, true), 11));                   /* an engine per direction */
    NEED(is(two_copies(100000, false), 22));                  /* in turn */
    puts("all right");
}

/* The host reads managed memory after a fill, or a copy from device memory: the host has waited. */
static void check_managed(void)
{
    char *managed;
    CALL(cudaMallocManaged((void **)&managed, 4096, cudaMemAttachGlobal));
    memset(managed, 5, 4096);
    CALL(cudaMemset(device, 9, 4096));
    CALL(cudaMemset(managed, 7, 4096));
    NEED(managed[0] == 7 && managed[4095] == 7);
    CALL(cudaMemcpy(managed, device, 4096, cudaMemcpyDefault));
    NEED(managed[0] == 9 && managed[4095] == 9);
}

/* --set link.dram_percent=50 --set link.dram_latency_ns=1000 and a peak of 336 GB/s. */
static void check_within(void)
{
    NEED(is(copy(device, device + 1680000, 1680000), 21)); /* 1 us; 168 GB/s, read and written */
    NEED(is(fill(device, 1680000, NULL), 11));
    NEED(is(fill(pinned, 1680000, NULL), 0));              /* memory of the host */
    NEED(is(copy_beside(1680000, false), 1 + 168));        /* at once, over the link */
    NEED(is(copy_beside(1680000, true), 21 + 11 + 1 + 168)); /* copy and fill in turn */
    cudaEvent_t a = mark(NULL), b;
    CALL(cudaMemcpy(device, device + 1680000, 1680000, cudaMemcpyDefault));
    CALL(cudaMemset(device, 0, 1680000));
    CALL(cudaEventCreate(&b));
    CALL(cudaEventRecord(b, NULL));
    NEED(cudaEventQuery(b) == cudaErrorNotReady);          /* the host has not waited */
    NEED(is(us(a, b), 32));
    check_managed();
    puts("all right");
}

int main(int argc, char **argv)
{
    size_t most = 64 << 20;
    CALL(cudaMalloc((void **)&device, most));
    CALL(cudaHostAlloc((void **)&pinned, most, cudaHostAllocDefault));
    pageable = malloc(most);
    if (!pageable) return 7;
    memset(pageable, 1, most);
    if (argc > 1 && !strcmp(argv[1], "check")) check();
    else if (argc > 1) check_within();
    else show();
    return 0;
}
