/* Prints times of launches in ns, timed or run functionally: clocks MODE. launches N: N launches in
 * a row, by events. double: repeats a launch twice as often until event time is 20 us. wait NS: a
 * waiting kernel, by events and %globaltimer. order: clocks of events and kernels in turn never go
 * back. overlap: a launch in a stream beside launches of another stream. */
#include "test/cuda/kernels.h"

static unsigned *word;
static uint64_t *times;

static cudaEvent_t event(cudaStream_t stream)
{
    cudaEvent_t e;
    CALL(cudaEventCreate(&e));
    CALL(cudaEventRecord(e, stream));
    return e;
}

static uint64_t between(cudaEvent_t a, cudaEvent_t b)
{
    float ms;
    CALL(cudaEventSynchronize(b));
    NEED(cudaEventQuery(b) == cudaSuccess);
    CALL(cudaEventElapsedTime(&ms, a, b));
    return (uint64_t)((double)ms * 1e6 + 0.5);
}

static uint64_t launches(unsigned n)
{
    cudaEvent_t a = event(NULL);
    for (unsigned k = 0; k < n; k++) launch_change(word, 1, 1, 100, NULL);
    return between(a, event(NULL));
}

static void launch_wait(uint64_t ns)
{
    const dim3 one = {1, 1, 1};
    void *arguments[] = {&times, &ns};
    CALL(cudaLaunchKernel(&wait_ns, one, one, arguments, 0, NULL));
}

static void wait_for(uint64_t ns)
{
    cudaEvent_t a = event(NULL);
    launch_wait(ns);
    uint64_t all = between(a, event(NULL)), own = times[1] - times[0];
    NEED(own >= ns && own < ns + 100 && all >= own && all < own + 3000);
    printf("%llu\n", (unsigned long long)own);
}

static void order(void)
{
    cudaEvent_t first = event(NULL);
    uint64_t last = times[1], since = 0;
    for (unsigned k = 0; k < 6; k++) {
        launch_wait(k % 2 ? 3000 : 0);
        if (k % 3) launches(2);
        uint64_t until = between(first, event(NULL));
        NEED(times[0] >= last && times[1] >= times[0]);
        NEED(until > since && until >= times[1]); /* the first event is at 0 */
        last = times[1];
        since = until;
    }
}

static void overlap(void)
{
    cudaStream_t one, two;
    CALL(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CALL(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    cudaEvent_t a = event(one);
    launch_change(word, 1, 1, 20000, one);
    for (unsigned k = 0; k < 3; k++) launch_change(word + 1, 1, 1, 100, two);
    cudaEvent_t b = event(one);
    printf("%llu\n", (unsigned long long)between(a, b));
}

int main(int n, char **arguments)
{
    const char *what = n > 1 ? arguments[1] : "";
    unsigned number = n > 2 ? (unsigned)atoi(arguments[2]) : 1, repeats = 1;
    CALL(cudaMalloc((void **)&word, 8));
    CALL(cudaMallocManaged((void **)&times, 16, cudaMemAttachGlobal));
    if (!strcmp(what, "launches")) printf("%llu\n", (unsigned long long)launches(number));
    if (!strcmp(what, "wait")) wait_for(number);
    if (!strcmp(what, "order")) order();
    if (!strcmp(what, "overlap")) overlap();
    if (!strcmp(what, "double")) {
        while (launches(repeats) < 20000) repeats *= 2;
        printf("%u\n", repeats);
    }
    puts("all right");
    return 0;
}
