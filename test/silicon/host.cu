/* Seen from the host: the device, the SM clock, launches, graphs, events, copies, block starts.
 *
 *     host [PART...]        default: every part, in the order of `parts` */
#include "row.h"

/* ---- the host's side ---- */

struct parameters { char bytes[4000]; };
__global__ void empty() {}
__global__ void empty_large(parameters p) { if (threadIdx.x == 5000) printf("%d", p.bytes[0]); }

template <class F> static void host_row(const char *what, int n, F each)
{
    std::vector<double> issue, all;
    for (int k = 0; k < REPEATS + 1; k++) {
        CHECK(cudaDeviceSynchronize());
        double a = host_us();
        for (int j = 0; j < n; j++) each();
        double b = host_us();
        CHECK(cudaDeviceSynchronize());
        double c = host_us();
        if (k) issue.push_back((b - a) / n), all.push_back((c - a) / n);
    }
    row("host", format("\"what\": \"%s\", \"n\": %d, \"issue_us\": ", what, n) +
        list(issue, "%.3f") + ", \"us\": " + list(all, "%.3f"));
}

static void host_graph(int n)
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < n; k++) empty<<<1, 32, 0, s>>>();
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    host_row(format("graph of %d empty kernels", n).c_str(), 20,
             [&] { CHECK(cudaGraphLaunch(exec, s)); });
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(s);
}

static void copy_rows(const char *kind, char *to, const char *from, cudaMemcpyKind way,
                      bool asynchronous)
{
    for (u64 bytes = 4; bytes <= 256ull << 20; bytes *= bytes < 65536 ? 16 : 4) {
        std::vector<double> us;
        for (int k = 0; k < 6; k++) {
            CHECK(cudaDeviceSynchronize());
            double a = host_us();
            if (asynchronous) CHECK(cudaMemcpyAsync(to, from, bytes, way));
            else CHECK(cudaMemcpy(to, from, bytes, way));
            CHECK(cudaDeviceSynchronize());
            if (k) us.push_back(host_us() - a);
        }
        row("copy", format("\"kind\": \"%s\", \"bytes\": %llu, \"us\": ", kind,
                           (unsigned long long)bytes) + list(us, "%.2f"));
    }
}

static void part_host()
{
    host_row("empty kernel, one after another", 1000, [] { empty<<<1, 32>>>(); });
    host_row("empty kernel of 132 x 8 blocks", 1000, [] { empty<<<132 * 8, 256>>>(); });
    host_row("empty kernel, 4000 bytes of parameters", 500,
             [] { empty_large<<<1, 32>>>(parameters{}); });
    host_row("empty kernel and synchronize", 100,
             [] { empty<<<1, 32>>>(); CHECK(cudaDeviceSynchronize()); });
    cudaStream_t s[2];
    CHECK(cudaStreamCreate(&s[0])), CHECK(cudaStreamCreate(&s[1]));
    int turn = 0;
    host_row("empty kernel, two streams in turn", 1000,
             [&] { empty<<<1, 32, 0, s[turn ^= 1]>>>(); });
    cudaEvent_t e;
    CHECK(cudaEventCreate(&e));
    host_row("record an event", 1000, [&] { CHECK(cudaEventRecord(e, s[0])); });
    host_row("empty kernel, event, wait by the other stream", 300, [&] {
        empty<<<1, 32, 0, s[0]>>>();
        CHECK(cudaEventRecord(e, s[0]));
        CHECK(cudaStreamWaitEvent(s[1], e, 0));
        empty<<<1, 32, 0, s[1]>>>();
        CHECK(cudaEventRecord(e, s[1]));
        CHECK(cudaStreamWaitEvent(s[0], e, 0));
    });
    host_graph(1), host_graph(10), host_graph(100);
    const u64 most = 256ull << 20;
    device_array<char> a(most), b(most);
    char *pinned, *plain = (char *)malloc(most);
    memset(plain, 1, most);
    CHECK(cudaMallocHost(&pinned, most));
    memset(pinned, 1, most);
    copy_rows("pinned to device", a.at, pinned, cudaMemcpyHostToDevice, true);
    copy_rows("device to pinned", pinned, a.at, cudaMemcpyDeviceToHost, true);
    copy_rows("pageable to device", a.at, plain, cudaMemcpyHostToDevice, false);
    copy_rows("device to pageable", plain, a.at, cudaMemcpyDeviceToHost, false);
    copy_rows("device to device", a.at, b.at, cudaMemcpyDeviceToDevice, true);
    std::vector<double> us;
    event_timer timer;
    for (int k = 0; k < REPEATS; k++) {
        timer.start();
        CHECK(cudaMemsetAsync(a.at, k, most));
        us.push_back(timer.us());
    }
    row("memset", format("\"bytes\": %llu, \"us\": ", (unsigned long long)most) + list(us, "%.2f"));
    cudaFreeHost(pinned);
    free(plain);
}

/* ---- blocks ---- */

/* Dispatch rate: grids of n blocks with no work. */
__global__ void stamped(u64 *when, u32 *where)
{
    if (threadIdx.x) return;
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    when[blockIdx.x] = t, where[blockIdx.x] = this_sm();
}

static void part_blocks()
{
    const int most = 132 * 64;
    device_array<u64> when(most);
    device_array<u32> where(most);
    event_timer timer;
    for (int threads : {32, 256, 1024})
        for (int blocks : {1, 132, 264, 132 * 8, 132 * 64}) {
            std::vector<double> us, first;
            for (int k = 0; k < 6; k++) {
                timer.start();
                stamped<<<blocks, threads>>>(when.at, where.at);
                double took = timer.us();
                CHECK(cudaGetLastError());
                std::vector<u64> t = when.read();
                auto range = std::minmax_element(t.begin(), t.begin() + blocks);
                if (k) us.push_back(took), first.push_back((double)(*range.second - *range.first));
            }
            row("blocks", format("\"blocks\": %d, \"threads\": %d, \"us\": ", blocks, threads) +
                list(us, "%.2f") + ", \"first_to_last_ns\": " + list(first, "%.0f"));
        }
    stamped<<<264, 1024>>>(when.at, where.at);
    CHECK(cudaDeviceSynchronize());
    std::vector<u32> sm = where.read();
    sm.resize(264);
    row("block_order", "\"threads\": 1024, \"sm\": " + list(sm, "%.0f"));
}

static void part_device()
{
    cudaDeviceProp p;
    int driver = 0, runtime = 0, clock = 0, memory = 0;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDriverGetVersion(&driver)), CHECK(cudaRuntimeGetVersion(&runtime));
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
    cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, 0);
    row("device", format("\"name\": \"%s\", \"cc\": \"%d.%d\", \"sms\": %d, \"l2\": %d, "
                         "\"persisting_l2\": %d, \"bus_bits\": %d, \"khz\": %d, "
                         "\"memory_khz\": %d, \"global\": %llu, \"driver\": %d, \"runtime\": %d",
                         p.name, p.major, p.minor, p.multiProcessorCount, p.l2CacheSize,
                         p.persistingL2CacheMaxSize, p.memoryBusWidth, clock, memory,
                         (unsigned long long)p.totalGlobalMem, driver, runtime));
}

/* Warms the GPU up for 300 ms and reports the SM clock. */
__global__ void spin(u64 ns, span *time, float *sink)
{
    stamp start = now(), t = start;
    float x = (float)threadIdx.x;
    while (t.ns < start.ns + ns) {
        for (int k = 0; k < 256; k++) x = x * 1.0001f + 0.5f;
        t = now();
    }
    if (x == 12345.0f) *sink = x;
    if (threadIdx.x == 0 && blockIdx.x == 0) *time = {start, t};
}

static void part_clock()
{
    device_array<span> time(1);
    device_array<float> sink(1);
    std::vector<double> clock;
    for (int k = 0; k < 6; k++) {
        spin<<<sm_count(), 256>>>(50000000, time.at, sink.at);
        CHECK(cudaDeviceSynchronize());
        clock.push_back(mhz(time.read()[0]));
    }
    row("clock", "\"mhz\": " + list(clock, "%.1f"));
}

static const part parts[] = {
    {"device", part_device}, {"clock", part_clock}, {"blocks", part_blocks}, {"host", part_host},
};

int main(int argc, char **argv)
{
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
