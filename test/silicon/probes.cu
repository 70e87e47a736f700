/* How kernels of one process slow each other down, measured on a real or simulated GPU. A failed
 * row is of kind "error".
 *
 *     probes isolated              every probe alone
 *     probes rows [GROUP...]       slots l2 dram l1 issue fp64: alone, together, one after the
 * other probes priorities            a small grid beside pending blocks of a large one probes
 * dispatch              the SM and the start of every block probes resident              number of
 * grids that run at once probes pair SPEC [SPEC]      probes of your own: copy:66x1024:8388608:20:4
 * is a copy of 66 blocks x 1024 threads, bytes, passes, variant (see probe.h)
 *
 *     --budget S  seconds for the part (30)      --reps N   repetitions of a row (10)
 *     --warm MS   busy time before the part (200)
 *
 * "Together": both kernels wait for the same event in separate streams. `us` is the time from the
 * first start to the last end of a block; `a_us` and `b_us` are the times of each kernel;
 * `b_after_us` is the delay of the second start. Exit status: 0 every row measured, 1 otherwise. */
#include "probe.h"

enum mode { ALONE, TOGETHER, SERIAL };
static const char *const mode_names[] = {"alone", "together", "serial"};

enum { GATE_NS = 40000 };

struct bench {
    cudaStream_t stream[2], gate;
    cudaEvent_t open, from, to;
    record *records;
    side sides[2];
    int reps, sms;
};

static void open_bench(bench &b)
{
    CHECK(cudaStreamCreateWithFlags(&b.stream[0], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b.stream[1], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b.gate, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&b.open, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&b.from));
    CHECK(cudaEventCreate(&b.to));
    CHECK(cudaMalloc((void **)&b.records, 2 * (b.reps + 1) * sizeof(record)));
}

/* ---- a row: probes alone, together or in sequence ---- */

/* Runs `specs` once behind the gate; returns the event time in us of a probe running alone. */
static double run_once(bench &b, const std::vector<spec> &specs, mode m, record *r)
{
    float ms = 0;
    gate<<<1, 32, 0, b.gate>>>(GATE_NS, nullptr);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(b.open, b.gate));
    for (size_t k = 0; k < specs.size(); k++) {
        cudaStream_t t = b.stream[m == SERIAL ? 0 : k];
        CHECK(cudaStreamWaitEvent(t, b.open, 0));
        if (m == ALONE) CHECK(cudaEventRecord(b.from, t));
        launch(specs[k], b.sides[k], r + k, t);
        if (m == ALONE) CHECK(cudaEventRecord(b.to, t));
    }
    CHECK(cudaStreamSynchronize(b.stream[0]));
    CHECK(cudaStreamSynchronize(b.stream[1]));
    if (m == ALONE) CHECK(cudaEventElapsedTime(&ms, b.from, b.to));
    return ms * 1e3;
}

/* Number of SMs with blocks of the first, the second and both records. */
static void add_places(row &out, const record *r, size_t n)
{
    int a = 0, b = 0, both = 0;
    u32 most = 0;
    for (int k = 0; k < SMS; k++) {
        u32 second = n > 1 ? r[1].blocks[k] : 0;
        a += r[0].blocks[k] > 0, b += second > 0, both += r[0].blocks[k] && second;
        most = std::max(most, r[0].blocks[k] + second);
    }
    out.num("sms_a", a);
    if (n > 1) out.num("sms_b", b).num("sms_both", both);
    out.num("blocks_per_sm_most", most);
}

static void add_times(row &out, const std::vector<record> &r, size_t n, int reps)
{
    std::vector<double> total, each[2], after, mhz;
    for (int k = 1; k <= reps; k++) {
        const record *at = &r[2 * k];
        u64 from = at[0].start, to = at[0].end;
        for (size_t j = 0; j < n; j++) {
            each[j].push_back(((double)at[j].end - (double)at[j].start) / 1e3);
            from = std::min(from, at[j].start), to = std::max(to, at[j].end);
            mhz.push_back(record_mhz(at[j]));
        }
        total.push_back((double)(to - from) / 1e3);
        if (n > 1) after.push_back(((double)at[1].start - (double)at[0].start) / 1e3);
    }
    out.us("us", total);
    if (n > 1) out.us("a_us", each[0]).us("b_us", each[1]).us("b_after_us", after);
    out.num("mhz", median(mhz));
}

/* Measures and prints a row; returns the median time in us. The first repetition only warms. */
static double measure(bench &b, const char *name, mode m, const std::vector<spec> &specs)
{
    std::vector<double> events;
    size_t n = specs.size();
    in_budget();
    for (size_t k = 0; k < n; k++) prepare_side(b.sides[k], specs[k]);
    blank_records(b.records, 2 * (b.reps + 1));
    for (int k = 0; k <= b.reps; k++) {
        double us = run_once(b, specs, m, b.records + 2 * k);
        if (k) events.push_back(us);
    }
    std::vector<record> r = read_records(b.records, 2 * (b.reps + 1));
    row out(name);
    out.word("mode", mode_names[m]).raw("a", spec_json(specs[0]));
    if (n > 1) out.raw("b", spec_json(specs[1]));
    add_times(out, r, n, b.reps);
    if (m == ALONE) out.us("event_us", events);
    add_places(out, &r[2 * b.reps], n);
    out.print();
    std::vector<double> us;
    for (int k = 1; k <= b.reps; k++) us.push_back((double)(r[2 * k].end - r[2 * k].start) / 1e3);
    return median(us);
}

/* As measure; reports a failure as a separate row. Rethrows after the budget is spent or CUDA is
 * lost. */
static double attempt(bench &b, const char *name, mode m, const std::vector<spec> &specs)
{
    try {
        return measure(b, name, m, specs);
    } catch (const failure &f) {
        if (errors > 4 || (deadline && host_ns() > deadline)) throw;
        error_row(std::string(name) + " " + mode_names[m] + " " + spec_json(specs[0]) + ": " +
                  f.what);
        return 0;
    }
}

static void all_modes(bench &b, const char *name, const spec &first, const spec &second)
{
    attempt(b, name, TOGETHER, {first, second});
    attempt(b, name, SERIAL, {first, second});
}

/* ---- isolated ---- */

static void isolated(bench &b)
{
    std::vector<spec> list = standard_probes();
    int n = b.sms;
    for (int wide : {1, 4}) {
        list.push_back(make_spec("l2-66", COPY, 66, 1024, 8 << 20, 60, wide));
        list.push_back(make_spec("l2-132", COPY, 132, 512, 8 << 20, 60, wide));
        list.push_back(make_spec("l2-264", COPY, 264, 1024, 8 << 20, 120, wide));
        list.push_back(make_spec("dram-264", COPY, 264, 768, 1 << 30, 1, wide));
        list.push_back(make_spec("dram-528", COPY, 528, 512, 1 << 30, 1, wide));
    }
    list.push_back(make_spec("sleep", SLEEP, n, 1024, 0, 500000, 1000));
    list.push_back(make_spec("l1-32k", REGION, n, 64, 32 << 10, 300, 0));
    list.push_back(make_spec("fmul-4", FMUL, n, 128, 0, 27000, 4));
    list.push_back(make_spec("ffma-8", FFMA, n, 128, 0, 13000, 8));
    list.push_back(make_spec("dfma-1", DFMA, n, 128, 0, 12000, 1));
    list.push_back(make_spec("dfma-2", DFMA, n, 128, 0, 12000, 2));
    list.push_back(make_spec("imad-4", IMAD, n, 128, 0, 14000, 4));
    list.push_back(make_spec("sfu-4", SFU, n, 128, 0, 3500, 4));
    list.push_back(make_spec("tensor-4", TENSOR, n, 128, 0, 18000, 0));
    list.push_back(make_spec("shared-128", SHARED, n, 128, 16 << 10, 12000, 0));
    list.push_back(make_spec("shared-512", SHARED, n, 512, 64 << 10, 6000, 0));
    for (const spec &s : list) attempt(b, "isolated", ALONE, {s});
}

/* ---- rows ---- */

static void slots(bench &b)
{
    for (int blocks : {b.sms / 2, b.sms, 2 * b.sms}) {
        spec s = make_spec("slots", SLEEP, blocks, 1024, 0, 500000, 1000);
        attempt(b, "slots", ALONE, {s});
        all_modes(b, "slots", s, s);
    }
}

static void l2(bench &b)
{
    for (int wide : {1, 4})
        for (u64 mb : {2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48})
            for (u64 passes : {20, 50}) {
                spec s = make_spec("l2", COPY, b.sms / 2, 1024, mb << 20, passes, wide);
                attempt(b, "l2", ALONE, {s});
                all_modes(b, "l2", s, s);
            }
}

static void dram(bench &b)
{
    for (int wide : {1, 4})
        for (int blocks : {b.sms / 2, b.sms, 2 * b.sms}) {
            spec s = make_spec("dram", COPY, blocks, 768, 1 << 30, 1, wide);
            attempt(b, "dram", ALONE, {s});
            all_modes(b, "dram", s, s);
        }
}

static void l1(bench &b)
{
    for (u64 kb : {8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192}) {
        u64 most = 39000 / (kb * 4);
        for (u64 passes : {most * 2 / 5, most}) {
            spec s = make_spec("l1", REGION, b.sms, 64, kb << 10, passes, 0);
            attempt(b, "l1", ALONE, {s});
            attempt(b, "l1", TOGETHER, {s, s});
        }
        for (int carve_out : {1, 101}) {
            spec s = make_spec("l1", REGION, b.sms, 64, kb << 10, most, carve_out);
            attempt(b, "l1", ALONE, {s});
        }
    }
}

/* A copy beside arithmetic, with repetitions scaled to the same time alone. */
static void beside_copy(bench &b, const char *name, const spec &copy, spec other)
{
    double goal = attempt(b, name, ALONE, {copy});
    double first = attempt(b, name, ALONE, {other});
    if (goal > 0 && first > 0) other.passes = (u64)(other.passes * goal / first + 0.5);
    attempt(b, name, ALONE, {other});
    all_modes(b, name, copy, other);
}

static void copy_pairs(bench &b, const char *name, const spec &other)
{
    for (int wide : {1, 4}) {
        u64 passes = wide == 1 ? 120 : 300;
        beside_copy(b, name, make_spec("l2", COPY, b.sms, 512, 8 << 20, passes, wide), other);
        beside_copy(b, name, make_spec("dram", COPY, b.sms, 512, 512 << 20, 1, wide), other);
    }
}

static void issue(bench &b)
{
    spec s = make_spec("fmul", FMUL, b.sms, 128, 0, 27000, 4);
    copy_pairs(b, "issue", s);
    all_modes(b, "issue", s, s);
}

static void fp64(bench &b)
{
    for (int chains : {1, 2}) {
        spec s = make_spec("dfma", DFMA, b.sms, 128, 0, 12000, chains);
        attempt(b, "fp64", ALONE, {s});
        all_modes(b, "fp64", s, s);
        copy_pairs(b, "fp64", s);
    }
}

struct group {
    const char *name;
    void (*run)(bench &);
};
static const group groups[] = {{"slots", slots}, {"l1", l1},     {"issue", issue},
                               {"fp64", fp64},   {"dram", dram}, {"l2", l2}};

static bool wanted(const std::vector<std::string> &words, const char *name)
{
    return words.empty() || std::find(words.begin(), words.end(), name) != words.end();
}

static void rows(bench &b, const std::vector<std::string> &words)
{
    for (const group &g : groups)
        if (wanted(words, g.name)) g.run(b);
}

static void pair(bench &b, const std::vector<std::string> &words)
{
    std::vector<spec> specs;
    for (const std::string &w : words) specs.push_back(read_spec(w.c_str()));
    if (specs.empty() || specs.size() > 2) throw failure{"pair needs one or two probes"};
    for (const spec &s : specs) attempt(b, "pair", ALONE, {s});
    if (specs.size() == 2) all_modes(b, "pair", specs[0], specs[1]);
}

/* ---- block by block ---- */

struct block_log {
    span *spans;
    record *r;
    int blocks;
};

static block_log new_log(int blocks)
{
    block_log l = {nullptr, nullptr, blocks};
    CHECK(cudaMalloc((void **)&l.spans, blocks * sizeof(span)));
    CHECK(cudaMalloc((void **)&l.r, sizeof(record)));
    record blank = blank_record(l.spans);
    CHECK(cudaMemset(l.spans, 0, blocks * sizeof(span)));
    CHECK(cudaMemcpy(l.r, &blank, sizeof blank, cudaMemcpyHostToDevice));
    return l;
}

static void free_log(block_log &l)
{
    cudaFree(l.spans);
    cudaFree(l.r);
}

/* Prints SM, start and end (ns after `origin`) of every block, in the order of block numbers. */
static void log_row(const char *name, const char *what, const spec &s, const block_log &l,
                    u64 origin)
{
    std::vector<span> v(l.blocks);
    CHECK(cudaMemcpy(v.data(), l.spans, l.blocks * sizeof(span), cudaMemcpyDeviceToHost));
    std::vector<long long> sm, start, end;
    for (const span &at : v) {
        sm.push_back(at.sm);
        start.push_back((long long)(at.start - origin));
        end.push_back((long long)(at.end - origin));
    }
    row(name)
        .word("what", what)
        .raw("a", spec_json(s))
        .num("mhz", record_mhz(read_records(l.r, 1)[0]))
        .ints("sm", sm)
        .ints("start_ns", start)
        .ints("end_ns", end)
        .print();
}

/* ---- priorities ---- */

struct priority_bench {
    cudaStream_t low[2], high[2], gate;
    cudaEvent_t open;
    u64 *opened;
    record *records;
};

static void open_priorities(priority_bench &p)
{
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    row("priority_range").num("least", least).num("greatest", greatest).print();
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamCreateWithPriority(&p.low[k], cudaStreamNonBlocking, least));
        CHECK(cudaStreamCreateWithPriority(&p.high[k], cudaStreamNonBlocking, greatest));
    }
    CHECK(cudaStreamCreateWithPriority(&p.gate, cudaStreamNonBlocking, greatest));
    CHECK(cudaEventCreateWithFlags(&p.open, cudaEventDisableTiming));
    CHECK(cudaMalloc((void **)&p.opened, sizeof(u64)));
    CHECK(cudaMalloc((void **)&p.records, 2 * sizeof(record)));
}

/* Launches `big` (if any) at once and `small` when the gate opens, `wait` ns after the start.
 * Returns the time of the opening. */
static u64 late_launch(priority_bench &p, const spec *big, cudaStream_t big_stream, record *big_r,
                       const spec &small, cudaStream_t small_stream, record *small_r, u64 wait)
{
    side none = {};
    u64 opened;
    gate<<<1, 32, 0, p.gate>>>(wait, p.opened);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(p.open, p.gate));
    if (big) launch(*big, none, big_r, big_stream);
    CHECK(cudaStreamWaitEvent(small_stream, p.open, 0));
    launch(small, none, small_r, small_stream);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&opened, p.opened, sizeof opened, cudaMemcpyDeviceToHost));
    return opened;
}

/* Delay of a small grid behind a large grid, from release to start and end. */
static void delay_row(priority_bench &p, const char *what, const spec *big, cudaStream_t big_stream,
                      const spec &small, cudaStream_t small_stream, int reps)
{
    std::vector<double> start, end, total, wait;
    in_budget();
    for (int k = 0; k <= reps; k++) {
        u64 ns = 150000 + 37000 * (u64)k;
        blank_records(p.records, 2);
        u64 opened =
            late_launch(p, big, big_stream, p.records, small, small_stream, p.records + 1, ns);
        std::vector<record> r = read_records(p.records, 2);
        if (k == 0) continue;
        wait.push_back(ns / 1e3);
        start.push_back(((double)r[1].start - (double)opened) / 1e3);
        end.push_back(((double)r[1].end - (double)opened) / 1e3);
        total.push_back(big ? ((double)r[0].end - (double)r[0].start) / 1e3 : 0);
    }
    row out("priority_delay");
    out.word("what", what).raw("small", spec_json(small));
    if (big) out.raw("big", spec_json(*big)).us("big_us", total);
    out.us("wait_us", wait).us("to_start_us", start).us("to_end_us", end).print();
}

static void delays(priority_bench &p, const spec &big, const spec &small, int reps)
{
    delay_row(p, "nothing beside", nullptr, p.low[0], small, p.high[0], reps);
    delay_row(p, "big low, small low", &big, p.low[0], small, p.low[1], reps);
    delay_row(p, "big low, small high", &big, p.low[0], small, p.high[0], reps);
    delay_row(p, "big high, small high", &big, p.high[0], small, p.high[1], reps);
    delay_row(p, "big high, small low", &big, p.high[0], small, p.low[0], reps);
}

static void logged_priority(priority_bench &p, const char *what, const spec &big, const spec &small,
                            cudaStream_t small_stream)
{
    in_budget();
    block_log a = new_log(big.blocks), b = new_log(small.blocks);
    u64 opened = late_launch(p, &big, p.low[0], a.r, small, small_stream, b.r, 50000);
    u64 origin = read_records(a.r, 1)[0].start;
    row("priority_log").word("what", what).num("released_ns", (double)(opened - origin)).print();
    log_row("priority_log_big", what, big, a, origin);
    log_row("priority_log_small", what, small, b, origin);
    free_log(a);
    free_log(b);
}

static void priorities(bench &b)
{
    priority_bench p;
    int full = 2 * b.sms;
    open_priorities(p);
    spec big = make_spec("big", SLEEP, full * 8, 1024, 0, 100000, 1000);
    delays(p, big, make_spec("small", SLEEP, 1, 128, 0, 10000, 0), b.reps);
    delays(p, big, make_spec("small", SLEEP, 16, 256, 0, 10000, 0), b.reps);
    delays(p, big, make_spec("small", SLEEP, b.sms, 1024, 0, 10000, 0), b.reps);
    spec two_waves = make_spec("big", SLEEP, full * 2, 1024, 0, 100000, 1000);
    spec few = make_spec("small", SLEEP, 64, 1024, 0, 100000, 1000);
    logged_priority(p, "small high", two_waves, few, p.high[0]);
    logged_priority(p, "small low", two_waves, few, p.low[1]);
}

/* ---- dispatch ---- */

static void log_grid(bench &b, int blocks, int threads, u64 ns)
{
    spec s = make_spec("grid", SLEEP, blocks, threads, 0, ns, 0);
    in_budget();
    for (int k = 0; k < 2; k++) { /* the first run warms */
        block_log l = new_log(blocks);
        launch(s, b.sides[0], l.r, b.stream[0]);
        CHECK(cudaStreamSynchronize(b.stream[0]));
        if (k) log_row("dispatch", "one grid", s, l, read_records(l.r, 1)[0].start);
        free_log(l);
    }
}

/* Grids of 100 blocks in two streams by turns, all queued before the first may start. */
static void log_streams(bench &b)
{
    enum { GRIDS = 8 };
    spec s = make_spec("grid", SLEEP, 100, 1024, 0, 100000, 1000);
    block_log l[GRIDS];
    in_budget();
    for (int k = 0; k < GRIDS; k++) l[k] = new_log(s.blocks);
    gate<<<1, 32, 0, b.gate>>>(200000, nullptr);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(b.open, b.gate));
    for (int k = 0; k < 2; k++) CHECK(cudaStreamWaitEvent(b.stream[k], b.open, 0));
    for (int k = 0; k < GRIDS; k++) launch(s, b.sides[0], l[k].r, b.stream[k % 2]);
    CHECK(cudaDeviceSynchronize());
    u64 origin = ~0ull;
    for (int k = 0; k < GRIDS; k++) origin = std::min(origin, read_records(l[k].r, 1)[0].start);
    for (int k = 0; k < GRIDS; k++) {
        std::string what = format("grid %d in stream %d", k / 2, k % 2);
        log_row("dispatch_streams", what.c_str(), s, l[k], origin);
        free_log(l[k]);
    }
}

/* Gaps between successive launches in a stream, all queued before the first start. */
static void launch_gaps(bench &b, const spec &s)
{
    enum { LAUNCHES = 16 };
    record *r;
    u64 *opened, at;
    in_budget();
    CHECK(cudaMalloc((void **)&r, LAUNCHES * sizeof(record)));
    CHECK(cudaMalloc((void **)&opened, sizeof(u64)));
    blank_records(r, LAUNCHES);
    gate<<<1, 32, 0, b.gate>>>(300000, opened);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(b.open, b.gate));
    CHECK(cudaStreamWaitEvent(b.stream[0], b.open, 0));
    for (int k = 0; k < LAUNCHES; k++) launch(s, b.sides[0], r + k, b.stream[0]);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&at, opened, sizeof at, cudaMemcpyDeviceToHost));
    std::vector<record> v = read_records(r, LAUNCHES);
    std::vector<double> gaps, runs;
    for (int k = 0; k < LAUNCHES; k++) {
        runs.push_back(((double)v[k].end - (double)v[k].start) / 1e3);
        if (k) gaps.push_back(((double)v[k].start - (double)v[k - 1].end) / 1e3);
    }
    row("launch_gaps")
        .raw("a", spec_json(s))
        .num("released_to_start_us", ((double)v[0].start - (double)at) / 1e3)
        .us("gap_us", gaps)
        .us("run_us", runs)
        .print();
    cudaFree(r);
    cudaFree(opened);
}

static void dispatch(bench &b)
{
    log_grid(b, b.sms * 8, 1024, 20000);
    log_grid(b, b.sms * 8, 256, 200000);
    log_grid(b, b.sms * 4, 512, 200000);
    log_grid(b, b.sms * 2, 1024, 200000);
    log_grid(b, b.sms / 2, 1024, 200000);
    log_streams(b);
    launch_gaps(b, make_spec("empty", EMPTY, 1, 32, 0, 0, 0));
    launch_gaps(b, make_spec("empty", EMPTY, b.sms, 1024, 0, 0, 0));
    launch_gaps(b, make_spec("sleep", SLEEP, b.sms, 1024, 0, 20000, 0));
}

/* ---- resident grids ---- */

static long long most_at_once(const std::vector<record> &r)
{
    long long most = 0;
    for (const record &a : r) {
        long long n = 0;
        for (const record &c : r) n += c.start <= a.start && a.start < c.end;
        most = std::max(most, n);
    }
    return most;
}

/* Grids of a block in separate streams, long enough to run all at once. */
static void resident(bench &b)
{
    enum { GRIDS = 160 };
    std::vector<cudaStream_t> streams(GRIDS);
    spec s = make_spec("grid", SLEEP, 1, 32, 0, 3000000, 1000);
    record *r;
    CHECK(cudaMalloc((void **)&r, GRIDS * sizeof(record)));
    for (cudaStream_t &t : streams) CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    for (int k = 0; k < 4; k++) { /* the first run warms */
        in_budget();
        blank_records(r, GRIDS);
        for (int j = 0; j < GRIDS; j++) launch(s, b.sides[0], r + j, streams[j]);
        CHECK(cudaDeviceSynchronize());
        if (k == 0) continue;
        std::vector<record> v = read_records(r, GRIDS);
        std::vector<double> start;
        for (const record &at : v) start.push_back(((double)at.start - (double)v[0].start) / 1e3);
        const char *connections = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
        row("resident")
            .raw("a", spec_json(s))
            .num("grids", GRIDS)
            .word("connections", connections ? connections : "default")
            .num("most_at_once", (double)most_at_once(v))
            .us("start_us", start)
            .print();
    }
}

/* ---- the program ---- */

struct options {
    std::string part;
    std::vector<std::string> words;
    double budget, warm;
    int reps;
};

static bool read_options(options &o, int argc, char **argv)
{
    o.budget = 30, o.warm = 200, o.reps = 10;
    for (int k = 1; k < argc; k++) {
        bool last = k + 1 == argc;
        if (!strcmp(argv[k], "--budget") && !last)
            o.budget = atof(argv[++k]);
        else if (!strcmp(argv[k], "--warm") && !last)
            o.warm = atof(argv[++k]);
        else if (!strcmp(argv[k], "--reps") && !last)
            o.reps = std::max(1, atoi(argv[++k]));
        else if (argv[k][0] == '-')
            return false;
        else if (o.part.empty())
            o.part = argv[k];
        else
            o.words.push_back(argv[k]);
    }
    return !o.part.empty();
}

static void run_part(const options &o)
{
    bench b = {};
    b.reps = o.reps;
    b.sms = device_row("probes");
    open_bench(b);
    warm_up(o.warm);
    if (o.part == "isolated")
        isolated(b);
    else if (o.part == "rows")
        rows(b, o.words);
    else if (o.part == "pair")
        pair(b, o.words);
    else if (o.part == "priorities")
        priorities(b);
    else if (o.part == "dispatch")
        dispatch(b);
    else if (o.part == "resident")
        resident(b);
    else
        throw failure{"no such part: " + o.part};
}

int main(int argc, char **argv)
{
    options o;
    if (!read_options(o, argc, argv)) {
        fprintf(stderr, "usage: probes isolated|rows|pair|priorities|dispatch|resident [WORD...] "
                        "[--budget S] [--reps N] [--warm MS]\n");
        return 1;
    }
    snprintf(the_part, sizeof the_part, "%s", o.part.c_str());
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    set_budget(o.budget);
    long long from = host_ns();
    try {
        run_part(o);
    } catch (const failure &f) {
        error_row(f.what);
    }
    double seconds = (double)(host_ns() - from) / 1e9;
    row("done").word("part", the_part).num("errors", errors).num("seconds", seconds).print();
    return errors ? 1 : 0;
}
