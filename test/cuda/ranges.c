/* Ranges that are requests: ranges HOW N launches N kernels of 10 us, each in a range "serve" that
 * HOW marks: macro, push, domain, start, injected (as NVIDIA's headers call an injection library).
 * In each range is another range, "inner"; with a third argument "nested" it is "serve", too. With
 * "two" a range has a kernel of 30 us in another stream, too. Prints the time of each start in us,
 * by the GPU's clock. */
#include "test/cuda/kernels.h"
#include "cuda/include/nvtx3/nvToolsExt.h"

enum { CORE_N = 16, CORE2_N = 16, MOST = 2000 };
static unsigned long long *times, starts[2 * MOST][2];

/* ---- the tables of NVIDIA's headers ---- */

typedef void function(void);
static function *core[CORE_N], *core2[CORE2_N], **core_at[CORE_N], **core2_at[CORE2_N];

static int get(int of, function ****at, unsigned *n)
{
    *at = of == 1 ? core_at : core2_at;
    *n = of == 1 ? CORE_N : CORE2_N;
    return of == 1 || of == 5;
}
static const struct { size_t size; int (*get)(int, function ****, unsigned *); } callbacks = {
    sizeof callbacks, get};
static const void *tables(uint32_t id) { return id == 1 ? &callbacks : NULL; }

static int inject(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*start)(const void *(*)(uint32_t)) = NULL;
    if (!library) return 1;
    *(void **)&start = dlsym(library, "InitializeInjectionNvtx2");
    for (int i = 0; i < CORE_N; i++) core_at[i] = &core[i];
    for (int i = 0; i < CORE2_N; i++) core2_at[i] = &core2[i];
    return !start || !start(tables) || !core[9] || !core[11] || !core2[4] || core[1] || core2[0];
}

/* ---- ranges ---- */

static nvtxRangeId_t id;

static void begin(const char *how, const char *name)
{
    nvtxEventAttributes_t a = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};
    if (!strcmp(how, "macro")) CORUN_REQUEST_BEGIN(name);
    else if (!strcmp(how, "push")) nvtxRangePush(name);
    else if (!strcmp(how, "injected")) ((int (*)(const char *))core[9])(name);
    else if (!strcmp(how, "start")) {
        nvtxRangeId_t one = nvtxRangeStart(name);
        if (!strcmp(name, "serve")) id = one;
    } else {
        nvtxDomainHandle_t d = nvtxDomainCreate("test");
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = nvtxDomainRegisterString(d, name);
        nvtxDomainRangePushEx(d, &a);
    }
}

static void end(const char *how, const char *name)
{
    if (!strcmp(how, "macro")) CORUN_REQUEST_END(name);
    else if (!strcmp(how, "push")) nvtxRangePop();
    else if (!strcmp(how, "injected")) ((int (*)(void))core[11])();
    else if (!strcmp(how, "domain")) nvtxDomainRangePop(NULL);
    else if (!strcmp(name, "serve")) nvtxRangeEnd(id);
}

static void work(int i, int k, cudaStream_t stream)
{
    unsigned long long *at = times + 2 * (2 * i + k), ns = k ? 30000 : 10000;
    void *arguments[] = {&at, &ns};
    const dim3 one = {1, 1, 1};
    CALL(cudaLaunchKernel(&wait_ns, one, one, arguments, 0, stream));
}

int main(int n, char **arguments)
{
    const char *how = arguments[1];
    int requests = atoi(arguments[2]), two = n > 3 && !strcmp(arguments[3], "two");
    const char *inner = n > 3 && !strcmp(arguments[3], "nested") ? "serve" : "inner";
    cudaStream_t stream;
    CALL(cudaMalloc((void **)&times, sizeof starts));
    CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (!strcmp(how, "injected") && inject()) return 2;
    for (int i = 0; i < requests; i++) {
        begin(how, "serve");
        begin(how, inner);
        work(i, 0, NULL);
        end(how, inner);
        if (two) work(i, 1, stream);
        end(how, "serve");
    }
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(starts, times, sizeof starts, cudaMemcpyDefault));
    for (int i = 0; i < requests; i++) printf("%.1f\n", (double)starts[2 * i][0] / 1000);
    return 0;
}
