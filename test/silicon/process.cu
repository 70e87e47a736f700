/* Probes in several processes: by time slices and under MPS; the lengths of time slices. Rows as
 * lane.h says.
 *
 *     process slices     gaps in kernels of two and three processes without MPS
 *     process pairs      pairs of six probes in two processes without MPS
 *     process mps        pairs of six probes under MPS; some with limits on SMs
 *
 *     --budget S  seconds for the part (40)     --window MS  steady pressure for a pair (120)
 *
 * `process mps` starts an MPS control daemon with folders of its own, in $CORUN_MPS_DIR or a new
 * folder in /tmp, and stops the same daemon. No setting of the device is changed. Exit status: 0
 * every row measured, 1 otherwise. */
#include "lane.h"

#include <atomic>
#include <errno.h>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- a kernel polling the clock ---- */

/* Thread 0 of block 0 records gaps of more than 5 us; the other threads wait for the end. Dynamic
 * shared memory is filled, as state for a switch to save. */
__global__ void watch(watched *w, u64 ns, u32 shared_words)
{
    extern __shared__ u32 words[];
    for (u32 k = threadIdx.x; k < shared_words; k += blockDim.x) words[k] = k * 2654435761u;
    __syncthreads();
    u64 from = now_ns(), at = from, n = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (at - from < ns) {
            u64 next = now_ns();
            if (next - at > 5000) {
                if (n < GAPS) w->from[n] = at, w->to[n] = next;
                n++;
            }
            at = next;
        }
        w->first = from, w->last = at, w->n = n;
    } else {
        while (now_ns() - from < ns) asm volatile("nanosleep.u32 %0;" ::"r"(2000));
    }
    __syncthreads();
    if (shared_words && words[threadIdx.x] == 12345u) w->n = words[threadIdx.x] + 1;
}

/* ---- worker processes ---- */

enum task { PUMP, WATCH, QUIT };

/* Memory shared by the parent and its workers. The parent fills an order and raises `order`; each
 * worker prepares and sets `ready`; the parent sets `from` and `go`; each worker sets `done`. */
struct board {
    std::atomic<int> order, go, ready[SIDES], done[SIDES];
    int task, active[SIDES];
    spec specs[SIDES];
    long long from, ns;          /* host time of the start; duration */
    int blocks, threads, shared; /* of the watching kernel */
    seen results[SIDES];
};

static board *map_board(const char *path)
{
    int fd = open(path, O_RDWR);
    if (fd < 0) throw failure{std::string(path) + ": " + strerror(errno)};
    void *p = mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p == MAP_FAILED) throw failure{std::string("mmap: ") + strerror(errno)};
    return (board *)p;
}

struct worker_state {
    board *b;
    int index, number; /* of the order */
    lane l;
    watched *w;
};

static void wait_for_go(worker_state &me)
{
    me.b->ready[me.index] = me.number;
    while (me.b->go != me.number) {
        if (me.b->order != me.number) throw failure{"order withdrawn"};
        usleep(20);
    }
}

static void worker_pump(worker_state &me)
{
    prepare_lane(me.l, me.b->specs[me.index]);
    CHECK(cudaDeviceSynchronize());
    wait_for_go(me);
    pump(me.l, me.b->from, me.b->from + me.b->ns);
    collect(me.l, me.b->results[me.index]);
}

static void worker_watch(worker_state &me)
{
    board *b = me.b;
    seen &out = b->results[me.index];
    CHECK(cudaMemset(me.w, 0, sizeof *me.w));
    CHECK(cudaFuncSetAttribute(watch, cudaFuncAttributeMaxDynamicSharedMemorySize, b->shared));
    CHECK(cudaDeviceSynchronize());
    wait_for_go(me);
    sleep_until(b->from);
    watch<<<b->blocks, b->threads, b->shared, me.l.stream>>>(me.w, b->ns, b->shared / 4);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(me.l.stream));
    CHECK(cudaMemcpy(&out.gaps, me.w, sizeof out.gaps, cudaMemcpyDeviceToHost));
    out.launches = 1;
}

static void obey(worker_state &me)
{
    seen &out = me.b->results[me.index];
    out.launches = 0, out.error[0] = 0;
    if (!me.b->active[me.index]) return;
    try {
        if (me.b->task == PUMP)
            worker_pump(me);
        else
            worker_watch(me);
    } catch (const failure &f) {
        snprintf(out.error, sizeof out.error, "%s", f.what.c_str());
    }
}

static void open_worker(worker_state &me)
{
    cudaStream_t stream;
    seen &out = me.b->results[me.index];
    device_row("worker");
    CHECK(cudaDeviceGetAttribute(&out.sms_visible, cudaDevAttrMultiProcessorCount, 0));
    if (cudaDeviceGetAttribute(&out.mps, cudaDevAttrMpsEnabled, 0) != cudaSuccess) out.mps = -1;
    cudaGetLastError();
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    open_lane(me.l, stream);
    CHECK(cudaMalloc((void **)&me.w, sizeof *me.w));
    for (const spec &s : standard_probes()) { /* loads every kernel, touches all memory */
        prepare_lane(me.l, s);
        launch(s, me.l.m, me.l.records, stream);
        CHECK(cudaDeviceSynchronize());
        me.l.used = 1;
    }
    warm_up(100);
}

/* A worker's standard output is the parent's standard error. */
static int worker(const char *path, int index, double budget)
{
    worker_state me = {};
    me.b = map_board(path), me.index = index;
    set_budget(budget);
    try {
        open_worker(me);
    } catch (const failure &f) {
        snprintf(me.b->results[index].error, 240, "%s", f.what.c_str());
        me.b->done[index] = -1;
        return 1;
    }
    me.b->ready[index] = -1;
    for (;;) {
        int next = me.b->order;
        if (next == me.number) {
            usleep(50);
            continue;
        }
        me.number = next;
        if (me.b->task == QUIT) return 0;
        obey(me);
        me.b->ready[index] = next;
        me.b->done[index] = next;
    }
}

/* ---- the parent of the workers ---- */

static pid_t children[SIDES];
static pid_t mps_daemon;

static void end_all()
{
    for (pid_t p : children)
        if (p > 0) kill(p, SIGKILL);
    if (mps_daemon > 0) kill(mps_daemon, SIGTERM);
}

/* Waits for the workers until host time `until`, then kills the remaining workers. */
static void reap(long long until)
{
    for (pid_t &p : children) {
        if (p <= 0) continue;
        pid_t ended;
        while ((ended = waitpid(p, nullptr, WNOHANG)) == 0 && host_ns() < until) usleep(1000);
        if (ended == 0) {
            kill(p, SIGKILL);
            waitpid(p, nullptr, 0);
        }
        p = 0;
    }
}

struct processes : sharer {
    int n;
    board *b;
    char path[64];
    processes(const std::string &name, int count, const std::vector<std::string> &percent = {});
    ~processes();
    void run(const spec *a, const spec *b, double ms) override;
    void command(long long ns);
    void wait(std::atomic<int> *at, int value, double seconds, const char *what);
};

static void become_worker(const char *path, int index, const std::string &percent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(0);
    dup2(2, 1);
    if (!percent.empty()) setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", percent.c_str(), 1);
    std::string number = format("%d", index);
    double left = std::max(1.0, (double)(deadline - host_ns()) / 1e9);
    std::string budget = format("%.0f", left);
    execl("/proc/self/exe", "process", "worker", path, number.c_str(), "--budget", budget.c_str(),
          (char *)nullptr);
    _exit(127);
}

processes::processes(const std::string &name, int count, const std::vector<std::string> &percent)
{
    n = count, way = name, partitioned = !percent.empty();
    snprintf(path, sizeof path, "/tmp/corun-board-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, sizeof(board)) != 0) throw failure{"cannot make the board"};
    close(fd);
    b = map_board(path);
    for (int k = 0; k < n; k++) result[k] = &b->results[k];
    for (int k = 0; k < n; k++) {
        pid_t p = fork();
        if (p == 0) become_worker(path, k, percent.empty() ? "" : percent[k]);
        children[k] = p;
    }
    try {
        for (int k = 0; k < n; k++) wait(&b->ready[k], -1, 30, "start");
    } catch (const failure &) {
        reap(0);
        unlink(path);
        throw;
    }
}

processes::~processes()
{
    b->task = QUIT;
    b->order = b->order + 1;
    reap(host_ns() + 4000000000LL);
    munmap(b, sizeof *b);
    unlink(path);
}

void processes::wait(std::atomic<int> *at, int value, double seconds, const char *what)
{
    int k = (int)(at - (at >= b->done ? b->done : b->ready));
    long long until = host_ns() + (long long)(seconds * 1e9);
    while (*at != value) {
        if (b->done[k] == -1) throw failure{std::string("worker: ") + b->results[k].error};
        if (children[k] <= 0) throw failure{format("worker %d is gone", k)};
        if (waitpid(children[k], nullptr, WNOHANG) == children[k]) {
            children[k] = 0;
            throw failure{format("worker %d ended early (%s)", k, what)};
        }
        if (host_ns() > until) throw failure{format("worker %d too slow: %s", k, what)};
        usleep(20);
    }
}

/* Carries out the order of the board; returns after the answer of every worker. */
void processes::command(long long ns)
{
    b->ns = ns;
    int number = b->order + 1;
    b->order = number;
    for (int k = 0; k < n; k++) wait(&b->ready[k], number, 10, "ready");
    b->from = host_ns() + 2000000;
    b->go = number;
    for (int k = 0; k < n; k++) wait(&b->done[k], number, 10 + ns / 1e9, "done");
    for (int k = 0; k < n; k++)
        if (b->results[k].error[0]) throw failure{b->results[k].error};
}

void processes::run(const spec *first, const spec *second, double ms)
{
    memset(b->active, 0, sizeof b->active);
    b->active[0] = first != nullptr, b->active[1] = second != nullptr;
    if (first) b->specs[0] = *first;
    if (second) b->specs[1] = *second;
    b->task = PUMP;
    command((long long)(ms * 1e6));
}

static void matrix_processes()
{
    processes w("processes", 2);
    alone_rows(w, reduced_probes(), false);
    all_pairs(w, reduced_probes());
}

/* ---- MPS ---- */

struct mps {
    std::string folder;
    mps();
    ~mps();
};

static std::string file_end(const std::string &path, size_t most)
{
    std::string s;
    char text[4096];
    FILE *f = fopen(path.c_str(), "r");
    if (!f) return "(no " + path + ")";
    for (size_t n; (n = fread(text, 1, sizeof text, f)) > 0;) s.append(text, n);
    fclose(f);
    return s.size() > most ? s.substr(s.size() - most) : s;
}

/* The daemon's process id, from the daemon's file; 0 if the file is missing after 3 s. */
static pid_t mps_pid(const std::string &folder)
{
    std::string path = folder + "/pipe/nvidia-cuda-mps-control.pid";
    for (int k = 0; k < 300; k++, usleep(10000))
        if (!access(path.c_str(), R_OK)) {
            int pid = atoi(file_end(path, 100).c_str());
            if (pid > 1) return pid;
        }
    return 0;
}

/* Stops only the private daemon, named by the pipe folder in the environment. */
static void stop_mps()
{
    if (system("echo quit | timeout 8 nvidia-cuda-mps-control >/dev/null 2>&1") != 0)
        fprintf(stderr, "sharing: MPS daemon did not take quit\n");
    if (mps_daemon > 0) {
        for (int k = 0; k < 300 && kill(mps_daemon, 0) == 0; k++) usleep(10000);
        if (kill(mps_daemon, 0) == 0) kill(mps_daemon, SIGTERM);
    }
    mps_daemon = 0;
    unsetenv("CUDA_MPS_PIPE_DIRECTORY");
    unsetenv("CUDA_MPS_LOG_DIRECTORY");
}

mps::mps()
{
    char fresh[] = "/tmp/corun-mps-XXXXXX";
    const char *given = getenv("CORUN_MPS_DIR");
    if (!given && !mkdtemp(fresh)) throw failure{"cannot make a folder in /tmp"};
    folder = given ? given : fresh;
    mkdir(folder.c_str(), 0700);
    mkdir((folder + "/pipe").c_str(), 0700);
    mkdir((folder + "/log").c_str(), 0700);
    setenv("CUDA_MPS_PIPE_DIRECTORY", (folder + "/pipe").c_str(), 1);
    setenv("CUDA_MPS_LOG_DIRECTORY", (folder + "/log").c_str(), 1);
    int rc = system("timeout 10 nvidia-cuda-mps-control -d </dev/null >/dev/null 2>&1");
    if (WIFEXITED(rc) && WEXITSTATUS(rc) == 127) throw failure{"no nvidia-cuda-mps-control here"};
    if (rc != 0)
        throw failure{format("nvidia-cuda-mps-control -d: status %d: ", rc) +
                      file_end(folder + "/log/control.log", 300)};
    mps_daemon = mps_pid(folder);
}

/* Shows the logs if anything failed. */
mps::~mps()
{
    if (errors) {
        error_row("control.log: " + file_end(folder + "/log/control.log", 400));
        error_row("server.log: " + file_end(folder + "/log/server.log", 400));
    }
    stop_mps();
}

static void mps_limits(const char *a, const char *b)
{
    processes w(std::string("mps ") + a + "/" + b, 2, {a, b});
    alone_rows(w, chosen_probes(), true);
    chosen_pairs(w);
}

static void mps_matrix()
{
    processes w("mps", 2);
    alone_rows(w, reduced_probes(), false);
    all_pairs(w, reduced_probes());
}

static void matrix_mps()
{
    mps daemon;
    separately("mps", mps_matrix);
    separately("mps 50/50", [] { mps_limits("50", "50"); });
    separately("mps 25/75", [] { mps_limits("25", "75"); });
    separately("mps 10/90", [] { mps_limits("10", "90"); });
}

/* ---- time slices ---- */

static void slice_row(const char *kernel, int active, int k, const watched &g, u64 origin)
{
    std::vector<double> at, gap, slice;
    int n = (int)std::min<u64>(g.n, GAPS);
    u64 since = g.first;
    for (int j = 0; j < n; j++) {
        at.push_back((double)(g.from[j] - origin) / 1e3);
        gap.push_back((double)(g.to[j] - g.from[j]) / 1e3);
        slice.push_back((double)(g.from[j] - since) / 1e3);
        since = g.to[j];
    }
    row("slices")
        .word("kernel", kernel)
        .num("processes", active)
        .num("process", k)
        .num("from_us", (double)(g.first - origin) / 1e3)
        .num("to_us", (double)(g.last - origin) / 1e3)
        .num("gaps", (double)g.n)
        .us("gap_at_us", at)
        .us("gap_us", gap)
        .us("slice_us", slice)
        .print();
}

/* Kernels of `active` processes watch the clock for `ms` at the same time. */
static void watch_row(processes &w, const char *kernel, int active, int blocks, int threads,
                      int shared, double ms)
{
    in_budget();
    w.b->task = WATCH;
    w.b->blocks = blocks, w.b->threads = threads, w.b->shared = shared;
    for (int k = 0; k < SIDES; k++) w.b->active[k] = k < active;
    w.command((long long)(ms * 1e6));
    u64 origin = ~0ull;
    for (int k = 0; k < active; k++) origin = std::min(origin, w.result[k]->gaps.first);
    for (int k = 0; k < active; k++) slice_row(kernel, active, k, w.result[k]->gaps, origin);
}

/* Short launches back to back: their starts, and the pauses longer than 50 us between them. */
static void short_launch_row(processes &w, const spec &s, int active, double ms)
{
    in_budget();
    w.b->task = PUMP;
    for (int k = 0; k < SIDES; k++) w.b->active[k] = k < active, w.b->specs[k] = s;
    w.command((long long)(ms * 1e6));
    for (int k = 0; k < active; k++) {
        const seen &r = *w.result[k];
        std::vector<double> at, gap;
        for (int j = 1; j < r.launches; j++)
            if (r.start[j] - r.start[j - 1] > 50000 && gap.size() < 40) {
                at.push_back((double)(r.start[j - 1] - w.result[0]->start[0]) / 1e3);
                gap.push_back((double)(r.start[j] - r.start[j - 1]) / 1e3);
            }
        row("short_launches")
            .raw("a", spec_json(s))
            .num("processes", active)
            .num("process", k)
            .num("launches", r.launches)
            .num("period_us", (double)(r.start[r.launches - 1] - r.start[0]) / 1e3 / r.launches)
            .us("gap_at_us", at)
            .us("gap_us", gap)
            .print();
    }
}

static void slices()
{
    enum { SMALL = 0, FULL_SHARED = 200 << 10, FULL_BLOCKS = 132 };
    processes w("processes", 3);
    for (int active : {1, 2, 3}) {
        separately("one warp", [&] { watch_row(w, "one warp", active, 1, 32, SMALL, 60); });
        separately("full", [&] {
            watch_row(w, "132 x 1024, 200 KB", active, FULL_BLOCKS, 1024, FULL_SHARED, 80);
        });
        separately("full registers", [&] {
            watch_row(w, "132 x 1024, no shared", active, FULL_BLOCKS, 1024, 0, 60);
        });
        spec empty = make_spec("empty", EMPTY, 1, 32, 0, 0, 0);
        spec brief = make_spec("sleep", SLEEP, 132, 1024, 0, 100000, 1000);
        separately("empty", [&] { short_launch_row(w, empty, active, 60); });
        separately("brief", [&] { short_launch_row(w, brief, active, 60); });
    }
}

/* ---- the program ---- */

static void run_part(const std::string &part)
{
    if (part == "slices")
        slices();
    else if (part == "pairs")
        matrix_processes();
    else if (part == "mps")
        matrix_mps();
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
    if (words.size() == 3 && words[0] == "worker")
        return worker(words[1].c_str(), atoi(words[2].c_str()), budget);
    if (words.empty() || words.size() > 2) {
        fprintf(stderr, "usage: process slices|pairs|mps [--budget S] [--window MS]\n");
        return 1;
    }
    std::string part = words[0] + (words.size() == 2 ? " " + words[1] : "");
    snprintf(the_part, sizeof the_part, "%s", part.c_str());
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    set_budget(budget);
    when_stuck = end_all;
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
