/* Programs whose threads wait for each other, or for events that cannot happen. */
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cuda/wire.h"
#include "test/cuda/kernels.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int come;

static void note(void *at)
{
    NEED(cudaDeviceSynchronize() == cudaErrorNotPermitted);
    pthread_mutex_lock(&lock);
    come += *(int *)at;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void note_stream(cudaStream_t stream, cudaError_t error, void *at)
{
    NEED(stream && !error);
    note(at);
}

/* Calls that need nothing of the simulator, and a launch, while another thread waits in a call. */
static void asks(void *p)
{
    int device;
    struct cudaDeviceProp properties;
    NEED(!cudaGetDevice(&device) && !cudaGetDeviceProperties(&properties, device));
    void *arguments[] = {&p, &device, &device, &device};
    const dim3 one = {1, 1, 1};
    NEED(cudaLaunchKernel(&change, one, one, arguments, 0, NULL) == cudaErrorNotPermitted);
    NEED(cudaGetLastError() == cudaErrorNotPermitted);
}

static void wait_for(int n)
{
    pthread_mutex_lock(&lock);
    while (come < n) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* No thread is in a call while the main thread waits; the callbacks' calls happen in the cycle of
 * the call back. */
static void callbacks(unsigned *p)
{
    cudaStream_t streams[3];
    cudaEvent_t begin, end;
    float ms;
    int one = 1, ten = 10;
    CALL(cudaEventCreate(&begin));
    CALL(cudaEventCreate(&end));
    CALL(cudaEventRecord(begin, NULL));
    for (int i = 0; i < 3; i++) {
        CALL(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        launch_change(p + i, 1, 1, 3000u * (unsigned)(i + 1), streams[i]);
        CALL(cudaLaunchHostFunc(streams[i], note, &one));
    }
    wait_for(3);
    CALL(cudaEventRecord(end, NULL));
    CALL(cudaEventSynchronize(end));
    CALL(cudaEventElapsedTime(&ms, begin, end));
    launch_change(p, 1, 1, 100, streams[0]);
    CALL(cudaStreamAddCallback(streams[0], note_stream, &ten, 0));
    wait_for(13);
    CALL(cudaLaunchHostFunc(streams[1], asks, p));
    CALL(cudaDeviceSynchronize());
    printf("%d came, after %.6f ms\n", come, ms);
}

static void *call(void *at)
{
    CALL(cudaMemset(at, 0, 4));
    return NULL;
}

static void *sleeps(void *at)
{
    for (;;) pause();
    return at;
}

static void *stops(void *at)
{
    kill(getpid(), SIGSTOP);
    return at;
}

/* The beginning of a call. */
static void half(void)
{
    const char *where = getenv(WIRE_VARIABLE);
    int calls;
    NEED(where && sscanf(where, "%d", &calls) == 1);
    NEED(send(calls, where, 4, MSG_NOSIGNAL) == 4);
    sleeps(NULL);
}

/* Ways to run no more. */
static void rest_as(const char *what)
{
    pthread_t thread;
    if (!strcmp(what, "stopped")) raise(SIGSTOP);
    if (!strcmp(what, "terminal")) raise(SIGTSTP);
    if (!strcmp(what, "half")) half();
    if (!strcmp(what, "both")) NEED(!pthread_create(&thread, NULL, stops, NULL));
    if (strcmp(what, "left") && strcmp(what, "both")) return;
    NEED(!pthread_create(&thread, NULL, sleeps, NULL));
    pthread_exit(NULL);
}

static void *rest(void *at)
{
    (void)at;
    return NULL;
}

static void run_thread(void *(*run)(void *at), void *at)
{
    pthread_t thread;
    NEED(!pthread_create(&thread, NULL, run, at) && !pthread_join(thread, NULL));
}

int main(int n, char **arguments)
{
    const char *what = n > 1 ? arguments[1] : "";
    unsigned *p;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    CALL(cudaMallocManaged((void **)&p, 64, cudaMemAttachGlobal));
    if (!strcmp(what, "callbacks")) callbacks(p);
    run_thread(!strcmp(what, "calls") ? call : rest, p);
    if (n > 2) launch_change(p, 1, 1, 1000, NULL);
    rest_as(what);
    for (int i = 0; i < 5 && !strcmp(what, "naps"); i++) usleep(400000);
    if (!strcmp(what, "spins") || !strcmp(what, "sleeps") || !strcmp(what, "idle")) {
        if (strcmp(what, "idle")) launch_change(p, 1, 1, 1000, NULL);
        while (!*(volatile unsigned *)p && strcmp(what, "idle"))
            if (!strcmp(what, "sleeps")) pause();
        sleep(2);
    }
    if (!strcmp(what, "stuck")) { /* a host function that waits for ever */
        pthread_mutex_lock(&lock);
        CALL(cudaLaunchHostFunc(NULL, note, p));
    }
    if (!strcmp(what, "busy")) /* between two calls */
        for (volatile unsigned i = 0; i < 20000000;) i++;
    CALL(cudaDeviceSynchronize());
    return 0;
}
