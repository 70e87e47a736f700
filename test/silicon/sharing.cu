/* Two probes in one process: in two streams and in two green contexts; the latency of a launch.
 * Rows as lane.h says.
 *
 *     sharing streams     all pairs of the ten standard probes, two streams
 *     sharing green       pairs of six in two green contexts; other splits for some
 *     sharing latency     from the launch call to the start of the kernel
 *
 *     --budget S  seconds for the part (40)     --window MS  steady pressure for a pair (120)
 *
 * Exit status: 0 every row measured, 1 otherwise. */
#include "lane.h"

#include <thread>

#include <cuda.h>

/* ---- two host threads of one process ---- */

struct threads : sharer {
    lane lanes[2] = {};
    seen *memory;
    threads()
    {
        memory = (seen *)calloc(2, sizeof(seen));
        for (int k = 0; k < 2; k++) result[k] = memory + k;
    }
    ~threads() { free(memory); }
    void use(cudaStream_t a, cudaStream_t b)
    {
        open_lane(lanes[0], a);
        open_lane(lanes[1], b);
    }
    void run(const spec *a, const spec *b, double ms) override;
};

static void pump_thread(lane *l, long long from, long long to, std::string *error)
{
    try {
        CHECK(cudaSetDevice(0));
        pump(*l, from, to);
    } catch (const failure &f) {
        *error = f.what;
    }
}

void threads::run(const spec *a, const spec *b, double ms)
{
    const spec *both[2] = {a, b};
    std::string error[2];
    std::thread running[2];
    for (int k = 0; k < 2; k++)
        if (both[k]) prepare_lane(lanes[k], *both[k]);
    CHECK(cudaDeviceSynchronize());
    long long from = host_ns() + 1000000, to = from + (long long)(ms * 1e6);
    for (int k = 0; k < 2; k++)
        if (both[k]) running[k] = std::thread(pump_thread, &lanes[k], from, to, &error[k]);
    for (std::thread &t : running)
        if (t.joinable()) t.join();
    for (const std::string &e : error)
        if (!e.empty()) throw failure{e};
    for (int k = 0; k < 2; k++)
        if (both[k]) collect(lanes[k], *result[k]);
}

static void matrix_streams()
{
    cudaStream_t s[2];
    threads w;
    device_row("sharing");
    for (cudaStream_t &t : s) CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    w.way = "streams";
    w.use(s[0], s[1]);
    warm_up(200);
    alone_rows(w, standard_probes(), false);
    all_pairs(w, standard_probes());
}

/* ---- green contexts ---- */

/* The driver's functions, looked up at run time so that the program starts without a driver. */
struct driver {
    decltype(&cuDeviceGetDevResource) get;
    decltype(&cuDevSmResourceSplitByCount) split;
    decltype(&cuDevResourceGenerateDesc) describe;
    decltype(&cuGreenCtxCreate) create;
    decltype(&cuGreenCtxDestroy) destroy;
    decltype(&cuGreenCtxStreamCreate) stream;
    decltype(&cuGreenCtxGetDevResource) given;
    decltype(&cuStreamDestroy) end_stream;
};

template <class F> static void look_up(F &f, const char *name)
{
    cudaDriverEntryPointQueryResult found;
    void *p = nullptr;
    CHECK(cudaGetDriverEntryPointByVersion(name, &p, CUDA_VERSION, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess || !p) throw failure{std::string("no ") + name};
    f = (F)p;
}

static driver open_driver()
{
    driver d;
    look_up(d.get, "cuDeviceGetDevResource");
    look_up(d.split, "cuDevSmResourceSplitByCount");
    look_up(d.describe, "cuDevResourceGenerateDesc");
    look_up(d.create, "cuGreenCtxCreate");
    look_up(d.destroy, "cuGreenCtxDestroy");
    look_up(d.stream, "cuGreenCtxStreamCreate");
    look_up(d.given, "cuGreenCtxGetDevResource");
    look_up(d.end_stream, "cuStreamDestroy");
    return d;
}

static void check_driver(CUresult r, const char *what)
{
    if (r != CUDA_SUCCESS) throw failure{format("%s: CUresult %d", what, (int)r)};
}
#define CHECK_DRIVER(call) check_driver(call, #call)

struct green {
    CUgreenCtx context[2];
    CUstream stream[2];
};

static void open_green(const driver &d, CUdevResource part, green &g, int k)
{
    CUdevResourceDesc text;
    CHECK_DRIVER(d.describe(&text, &part, 1));
    CHECK_DRIVER(d.create(&g.context[k], text, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    CHECK_DRIVER(d.stream(&g.stream[k], g.context[k], CU_STREAM_NON_BLOCKING, 0));
}

/* Makes two green contexts: `asked` SMs and the rest; the smaller side first or second. */
static green split_green(const driver &d, unsigned asked, bool rest_first, std::string &name)
{
    CUdevResource whole, part[2], given[2];
    green g = {};
    unsigned groups = 1;
    memset(part, 0, sizeof part);
    CHECK_DRIVER(d.get(0, &whole, CU_DEV_RESOURCE_TYPE_SM));
    CHECK_DRIVER(d.split(&part[rest_first], &groups, &whole, &part[!rest_first], 0, asked));
    for (int k = 0; k < 2; k++) {
        open_green(d, part[k], g, k);
        CHECK_DRIVER(d.given(g.context[k], &given[k], CU_DEV_RESOURCE_TYPE_SM));
    }
    name = format("green %u/%u", given[0].sm.smCount, given[1].sm.smCount);
    row("green_split")
        .num("asked", asked)
        .num("whole", whole.sm.smCount)
        .num("a", given[0].sm.smCount)
        .num("b", given[1].sm.smCount)
        .num("split_a", part[0].sm.smCount)
        .num("split_b", part[1].sm.smCount)
        .num("minimum", whole.sm.minSmPartitionSize)
        .num("alignment", whole.sm.smCoscheduledAlignment)
        .print();
    return g;
}

static void close_green(const driver &d, green &g)
{
    for (int k = 0; k < 2; k++) {
        d.end_stream(g.stream[k]);
        d.destroy(g.context[k]);
    }
}

static void run_split(threads &w, const driver &d, unsigned asked, bool rest_first, bool full)
{
    green g = split_green(d, asked, rest_first, w.way);
    w.use(g.stream[0], g.stream[1]);
    if (full) {
        alone_rows(w, reduced_probes(), true);
        all_pairs(w, reduced_probes());
    } else {
        alone_rows(w, chosen_probes(), true);
        chosen_pairs(w);
    }
    close_green(d, g);
}

/* Which counts the split gives for each count asked for; no work runs. */
static void rounding_rows(const driver &d)
{
    CUdevResource whole;
    CHECK_DRIVER(d.get(0, &whole, CU_DEV_RESOURCE_TYPE_SM));
    for (unsigned asked :
         {1, 4, 8, 10, 16, 20, 26, 32, 40, 50, 64, 66, 72, 96, 100, 124, 128, 132}) {
        CUdevResource part[64], rest;
        unsigned groups = 1, most = 64;
        memset(&rest, 0, sizeof rest);
        CUresult one = d.split(part, &groups, &whole, &rest, 0, asked);
        row out("green_rounding");
        out.num("asked", asked).num("result", one);
        if (one == CUDA_SUCCESS && groups)
            out.num("given", part[0].sm.smCount).num("rest", rest.sm.smCount);
        memset(&rest, 0, sizeof rest);
        if (d.split(part, &most, &whole, &rest, 0, asked) == CUDA_SUCCESS)
            out.num("groups", most).num("rest_of_groups", rest.sm.smCount);
        out.print();
    }
}

static void matrix_green()
{
    threads w;
    w.partitioned = true;
    device_row("sharing");
    warm_up(200);
    driver d = open_driver();
    run_split(w, d, 64, false, true);
    run_split(w, d, 32, false, false);
    run_split(w, d, 32, true, false);
    rounding_rows(d);
}

/* ---- latency of a launch ---- */

struct mailbox {
    volatile u64 ask, answer, ns;
};

/* Answers `rounds` questions of the host with the device's time; gives up after 200 ms. */
__global__ void answer(mailbox *m, u64 rounds)
{
    u64 until = now_ns() + 200000000ull;
    for (u64 k = 1; k <= rounds; k++) {
        while (m->ask != k)
            if (now_ns() > until) return;
        m->ns = now_ns();
        __threadfence_system();
        m->answer = k;
    }
}

struct offset {
    double ns, uncertain_ns;
};

/* Device time minus host time, from the fastest of 50 exchanges. */
static offset compare_clocks(mailbox *m, mailbox *on_device)
{
    offset best = {0, 1e18};
    m->ask = m->answer = 0;
    answer<<<1, 1>>>(on_device, 50);
    CHECK(cudaGetLastError());
    for (u64 k = 1; k <= 50; k++) {
        long long from = host_ns(), give_up = from + 300000000LL;
        m->ask = k;
        while (m->answer != k)
            if (host_ns() > give_up) throw failure{"no answer from the device"};
        long long to = host_ns();
        double half = (double)(to - from) / 2;
        if (k > 3 && half < best.uncertain_ns) best = {(double)m->ns - (double)from - half, half};
    }
    CHECK(cudaDeviceSynchronize());
    return best;
}

static void latency_row(mailbox *m, mailbox *on_device, const spec &s, cudaStream_t stream)
{
    std::vector<double> call, start, end, back;
    side none = {};
    record *r;
    offset o = {0, 0};
    CHECK(cudaMalloc((void **)&r, sizeof *r));
    for (int k = 0; k <= 30; k++) {
        in_budget();
        if (k % 5 == 0) o = compare_clocks(m, on_device);
        blank_records(r, 1);
        long long from = host_ns();
        launch(s, none, r, stream);
        long long called = host_ns();
        CHECK(cudaStreamSynchronize(stream));
        long long to = host_ns();
        record at = read_records(r, 1)[0];
        if (k == 0) continue;
        call.push_back((double)(called - from) / 1e3);
        start.push_back(((double)at.start - o.ns - (double)from) / 1e3);
        end.push_back(((double)at.end - o.ns - (double)from) / 1e3);
        back.push_back((double)(to - from) / 1e3);
    }
    cudaFree(r);
    row("latency")
        .raw("a", spec_json(s))
        .num("uncertain_us", o.uncertain_ns / 1e3)
        .us("call_us", call)
        .us("to_start_us", start)
        .us("to_end_us", end)
        .us("to_host_us", back)
        .print();
}

/* Smallest steps of the device's nanosecond clock. */
__global__ void timer_steps(u64 *steps)
{
    u64 at = now_ns();
    for (int k = 0; k < 64;) {
        u64 next = now_ns();
        if (next != at) steps[k++] = next - at;
        at = next;
    }
}

static void timer_row()
{
    u64 *steps, host[64];
    CHECK(cudaMalloc((void **)&steps, sizeof host));
    timer_steps<<<1, 1>>>(steps);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, steps, sizeof host, cudaMemcpyDeviceToHost));
    cudaFree(steps);
    row("timer").ints("step_ns", std::vector<long long>(host, host + 64)).print();
}

static void latency()
{
    mailbox *m, *on_device;
    cudaStream_t stream;
    device_row("sharing");
    warm_up(200);
    timer_row();
    CHECK(cudaHostAlloc((void **)&m, sizeof *m, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&on_device, m, 0));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    latency_row(m, on_device, make_spec("empty", EMPTY, 1, 32, 0, 0, 0), stream);
    latency_row(m, on_device, make_spec("empty", EMPTY, 132, 1024, 0, 0, 0), stream);
    latency_row(m, on_device, make_spec("empty", EMPTY, 1320, 1024, 0, 0, 0), stream);
}

/* ---- the program ---- */

static void run_part(const std::string &part)
{
    if (part == "streams")
        matrix_streams();
    else if (part == "green")
        matrix_green();
    else if (part == "latency")
        latency();
    else
        throw failure{"no such part: " + part};
}

int main(int argc, char **argv)
{
    double budget = 40;
    std::vector<std::string> words;
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--budget") && k + 1 < argc)
            budget = atof(argv[++k]);
        else if (!strcmp(argv[k], "--window") && k + 1 < argc)
            window_ms = atof(argv[++k]);
        else
            words.push_back(argv[k]);
    }
    if (words.empty() || words.size() > 2) {
        fprintf(stderr, "usage: sharing streams|green|latency [--budget S] [--window MS]\n");
        return 1;
    }
    std::string part = words[0] + (words.size() == 2 ? " " + words[1] : "");
    snprintf(the_part, sizeof the_part, "%s", part.c_str());
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    set_budget(budget);
    long long from = host_ns();
    try {
        run_part(part);
    } catch (const failure &f) {
        error_row(f.what);
    }
    double seconds = (double)(host_ns() - from) / 1e9;
    row("done").word("part", the_part).num("errors", errors).num("seconds", seconds).print();
    return errors ? 1 : 0;
}
