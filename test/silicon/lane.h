/* Pairs of probes under steady pressure: each side launches its probe again and again, several
 * launches ahead, in the way of sharing supplied by the program (`sharer`).
 *
 * `a_us` of a row is the time from start to start, as means over up to ten successive groups of
 * launches; `a_run_us` is the time from the first start to the last end of a launch's blocks. Only
 * launches in the middle 70 % of the time common to both sides count. */
#ifndef LANE_H
#define LANE_H

#include "probe.h"

enum { CAP = 8192, AHEAD = 6, GAPS = 60, SIDES = 3 };

static double window_ms = 120;

/* ---- one side under steady pressure ---- */

/* Gaps between two clock readings of a kernel. */
struct watched {
    u64 first, last, n;
    u64 from[GAPS], to[GAPS];
};

/* The launches of a side, in host memory; for workers, in memory shared with the parent. */
struct seen {
    int launches, sms_visible, mps;
    double mhz;
    u64 start[CAP], end[CAP];
    u32 blocks[SMS];
    watched gaps;
    char error[240]; /* empty: none */
};

struct lane {
    spec s;
    side m;
    cudaStream_t stream;
    record *records;
    int used; /* number of records in use */
    cudaEvent_t events[AHEAD];
    bool no_events; /* the stream takes none: wait for the stream now and then */
};

static void open_lane(lane &l, cudaStream_t stream)
{
    l.stream = stream;
    l.used = CAP;
    if (l.records) return;
    CHECK(cudaMalloc((void **)&l.records, CAP * sizeof(record)));
    for (cudaEvent_t &e : l.events) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
}

static void prepare_lane(lane &l, const spec &s)
{
    l.s = s;
    prepare_side(l.m, s);
    if (l.used) blank_records(l.records, l.used);
    l.used = 0;
}

/* Bounds the number of launches ahead: waits for the launch AHEAD before number `n`. */
static void hold_back(lane &l, int n)
{
    if (n < AHEAD) return;
    if (!l.no_events)
        CHECK(cudaEventSynchronize(l.events[n % AHEAD]));
    else if (n % AHEAD == 0)
        CHECK(cudaStreamSynchronize(l.stream));
}

static void mark(lane &l, int n)
{
    if (l.no_events || cudaEventRecord(l.events[n % AHEAD], l.stream) == cudaSuccess) return;
    cudaGetLastError();
    l.no_events = true;
}

/* Launches from host time `from` to `to`; returns after the last launch has ended. */
static void pump(lane &l, long long from, long long to)
{
    int n = 0;
    sleep_until(from);
    for (; n < CAP && host_ns() < to; n++) {
        hold_back(l, n);
        launch(l.s, l.m, l.records + n, l.stream);
        l.used = n + 1;
        mark(l, n);
    }
    CHECK(cudaStreamSynchronize(l.stream));
}

static void collect(lane &l, seen &out)
{
    std::vector<record> v = read_records(l.records, l.used);
    std::vector<double> mhz;
    out.launches = l.used;
    memset(out.blocks, 0, sizeof out.blocks);
    for (int k = 0; k < l.used; k++) {
        out.start[k] = v[k].start, out.end[k] = v[k].end;
        mhz.push_back(record_mhz(v[k]));
        for (int j = 0; j < SMS; j++) out.blocks[j] += v[k].blocks[j];
    }
    out.mhz = median(mhz);
}

/* ---- rows of steady pressure ---- */

struct range {
    u64 from, to;
};

/* The middle 70 % of the time common to all sides. */
static range common(const seen *const *s, int n)
{
    range r = {0, ~0ull};
    for (int k = 0; k < n; k++) {
        if (s[k]->launches < 1) throw failure{"a side launched nothing"};
        r.from = std::max(r.from, s[k]->start[0]);
        r.to = std::min(r.to, s[k]->end[s[k]->launches - 1]);
    }
    if (r.from >= r.to) throw failure{"the sides never ran at the same time"};
    u64 cut = (r.to - r.from) * 15 / 100;
    r.from += cut, r.to -= cut;
    return r;
}

/* Adds the periods and durations of the launches of one side that start in `r`. */
static void add_side(row &out, const char *side_name, const seen &s, range r)
{
    std::vector<int> in;
    for (int k = 0; k < s.launches; k++)
        if (s.start[k] >= r.from && s.start[k] <= r.to) in.push_back(k);
    int n = (int)in.size() - 1, groups = std::min(10, std::max(n, 0));
    std::vector<double> period, run;
    for (int g = 0; g < groups; g++) {
        int a = in[(size_t)n * g / groups], b = in[(size_t)n * (g + 1) / groups];
        double sum = 0;
        for (int k = a; k < b; k++) sum += (double)(s.end[k] - s.start[k]);
        period.push_back((double)(s.start[b] - s.start[a]) / 1e3 / (b - a));
        run.push_back(sum / 1e3 / (b - a));
    }
    std::string p = side_name;
    out.us((p + "_us").c_str(), period).us((p + "_run_us").c_str(), run);
    out.num((p + "_launches").c_str(), (double)in.size()).num((p + "_mhz").c_str(), s.mhz);
    out.num((p + "_launches_all").c_str(), s.launches);
}

static std::vector<long long> sm_list(const seen &s)
{
    std::vector<long long> v;
    for (int k = 0; k < SMS; k++)
        if (s.blocks[k]) v.push_back(k);
    return v;
}

static void add_sms(row &out, const seen *const *s, int n, bool lists)
{
    int both = 0;
    for (int k = 0; k < SMS; k++) both += n > 1 && s[0]->blocks[k] && s[1]->blocks[k];
    out.num("sms_a", (double)sm_list(*s[0]).size());
    if (n > 1) out.num("sms_b", (double)sm_list(*s[1]).size()).num("sms_both", both);
    if (lists) out.ints("sm_list", sm_list(*s[0]));
}

/* A way of sharing: runs one probe alone (b null, on the given side) or two at once. */
struct sharer {
    std::string way;
    bool partitioned = false; /* the sides have SMs of their own */
    seen *result[SIDES];
    virtual void run(const spec *a, const spec *b, double ms) = 0;
    virtual ~sharer() {}
};

static void steady_row(sharer &w, const spec *a, const spec *b)
{
    const seen *s[2];
    int n = 0;
    in_budget();
    w.run(a, b, a && b ? window_ms : window_ms / 2);
    if (a) s[n++] = w.result[0];
    if (b) s[n++] = w.result[1];
    row out(n == 2 ? "pair" : "alone");
    out.word("way", w.way);
    if (n == 1) out.num("side", a ? 0 : 1);
    out.raw("a", spec_json(a ? *a : *b));
    if (n == 2) out.raw("b", spec_json(*b));
    range r = common(s, n);
    add_side(out, "a", *s[0], r);
    if (n == 2) add_side(out, "b", *s[1], r);
    add_sms(out, s, n, n == 1 && w.partitioned);
    if (s[0]->sms_visible) out.num("sms_visible_a", s[0]->sms_visible).num("mps", s[0]->mps);
    if (n == 2 && s[1]->sms_visible) out.num("sms_visible_b", s[1]->sms_visible);
    out.print();
}

static void attempt(sharer &w, const spec *a, const spec *b)
{
    try {
        steady_row(w, a, b);
    } catch (const failure &f) {
        if (errors > 4 || host_ns() > deadline) throw;
        error_row(w.way + " " + (a ? a->name : "-") + " " + (b ? b->name : "-") + ": " + f.what);
    }
}

static void alone_rows(sharer &w, const std::vector<spec> &list, bool both_sides)
{
    for (const spec &s : list) {
        attempt(w, &s, nullptr);
        if (both_sides) attempt(w, nullptr, &s);
    }
}

static void all_pairs(sharer &w, const std::vector<spec> &list)
{
    for (size_t i = 0; i < list.size(); i++)
        for (size_t j = i; j < list.size(); j++) attempt(w, &list[i], &list[j]);
}

static std::vector<spec> reduced_probes()
{
    std::vector<spec> list = standard_probes();
    list.resize(6);
    return list;
}

static spec named(const char *name)
{
    for (const spec &s : standard_probes())
        if (!strcmp(s.name, name)) return s;
    throw failure{std::string("no standard probe: ") + name};
}

/* Pairs measured under splits other than halves, in both orders where they differ. */
static void chosen_pairs(sharer &w)
{
    const char *const pairs[][2] = {{"dram", "dram"},  {"l2", "l2"},     {"issue", "dram"},
                                    {"dram", "issue"}, {"tensor", "l2"}, {"l2", "tensor"}};
    for (const auto &p : pairs) {
        spec a = named(p[0]), b = named(p[1]);
        attempt(w, &a, &b);
    }
}

static std::vector<spec> chosen_probes()
{
    return {named("dram"), named("l2"), named("issue"), named("tensor")};
}

template <class F> static void separately(const char *what, F f)
{
    try {
        f();
    } catch (const failure &e) {
        if (errors > 4 || host_ns() > deadline) throw;
        error_row(std::string(what) + ": " + e.what);
    }
}

#endif
