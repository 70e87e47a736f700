/* corun/policy.h - everything a sharing policy sees and says.
 *
 * A policy answers, it never acts. It fills one `struct corun_policy` with hooks; a hook left NULL
 * means the default stated beside it. The simulator asks when something has changed, checks every
 * answer against the SM's resources, and counts what it refuses. A policy keeps its state in the
 * `state_bytes` it asks for, zeroed before `init`; it has no other memory, takes no random choice
 * of its own and reads no clock but view->now, so equal runs give equal bits. A hook writes its
 * answer, its state and its counters, nothing else: it is looked at, and ends the run.
 *
 * Every hook but `init`, `needs` and `arbiter` is called at the end of SM cycle view->now, after
 * the SMs have done it and before blocks start: what hooks of one cycle see and count is the same.
 *
 * In a cycle `watch` comes first: a group that is asked because of an event finds what `watch` made
 * of it, also at the cycle of `timer`. (But CORUN_SETTLED is told after the groups.)
 *
 * Answers are of kernels, by their index in view->kernels, in the groups `admit` to `limit`, which
 * are about blocks and issue; and of apps, by app_id, in those about caches and DRAM.
 *
 * Words: an app is a program; a kernel is (app, function, block shape, shared bytes): its later
 * launches are restarts of the same kernel; a block is a thread block. */
#ifndef CORUN_POLICY_H
#define CORUN_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CORUN_POLICY_ABI 9
#define CORUN_APPS_MAX 8             /* programs in one run */
#define CORUN_SMS_MAX 256            /* SMs of a machine */
#define CORUN_PARTITIONS_MAX 64      /* memory partitions of a machine */
#define CORUN_TARGET_FULL UINT32_MAX /* as many blocks as fit */
#define CORUN_NO_QUOTA UINT32_MAX    /* it may always issue */
#define CORUN_NO_LIMIT UINT32_MAX    /* any number */
#define CORUN_NEVER UINT64_MAX       /* a cycle that does not come */

/* What one block takes, or one SM has. */
struct corun_resources {
    uint32_t threads;      /* rounded up to whole warps */
    uint32_t registers;    /* 32-bit, rounded as the machine allocates them */
    uint32_t shared_bytes;
    uint32_t blocks;       /* block slots */
};

/* What isolated runs told of a kernel: its app by itself on this machine, under the run's rule. */
struct corun_alone {
    double ipc;            /* thread instructions per cycle of the GPU, as many blocks as fit */
    double issue_fraction; /* of the schedulers' cycles on SMs that had a block: with an issue */
    double resident_blocks; /* on an SM that had any, mean over these SMs and cycles; */
    double sms;             /* such SMs, mean over cycles */
    double mpki;            /* L2 misses per thousand thread instructions */
    double bandwidth_fraction; /* bytes moved by the DRAM channels, of the peak */
    uint32_t curve_n;      /* points of `curve`; 0: not asked for */
    const double *curve;   /* [t - 1]: thread instructions per cycle with t blocks per SM at most */
};

struct corun_kernel {
    uint32_t kernel_id;    /* the same for every launch of this kernel */
    uint32_t app_id;
    const char *name;      /* the function's name */
    struct corun_resources block;
    uint32_t full_blocks;  /* blocks of this kernel that fit on an empty SM */
    uint64_t launch_order; /* by (cycle, app): smaller was launched earlier */
    uint64_t arrival_cycle;
    uint64_t grid_blocks;  /* of this launch */
    uint64_t pending_blocks; /* not yet dispatched, and those taken off an SM */
    uint64_t running_blocks; /* resident on the GPU */
    bool admitted;         /* the last answer of `admit` */
    /* warp instructions of a block of this kernel, mean of those that have ended; 0: none has */
    double block_instructions;
    /* NULL: nobody asked by `needs`, or no isolated run came to this kernel */
    const struct corun_alone *alone;
    /* Of the registers of its block, the part that holds values wanted later where a warp may have
     * to wait for long: at the first use of what it has loaded, and at barriers. By live-register
     * analysis; the largest over these places. */
    double waiting_part;
    /* Of its stream or its launch; lower numbers go first: the machine starts no block of a kernel
     * on an SM while a kernel of the same app with a lower number, let in and below its target
     * there, has blocks to give. 0 unless the program says otherwise, as in CUDA. */
    int32_t priority;
};

/* What the whole GPU has used of its throughput since cycle 0, all apps: fractions are differences
 * of `done` over those of `most`. */
enum corun_resource {
    CORUN_SCHEDULER,       /* instructions issued */
    CORUN_L1, CORUN_L2,    /* cycles in which hits held the data ports */
    CORUN_TO_L2, CORUN_TO_SM, /* flits in the crossbars; most: what they sustain */
    CORUN_DRAM,            /* bytes */
    CORUN_RESOURCE_N
};
struct corun_use {
    double done[CORUN_RESOURCE_N], most[CORUN_RESOURCE_N];
};

/* What the kernels of one app did on one SM since cycle 0, view->now included. (Counted by app: an
 * app's kernels follow one another, and the difference of two looks is the kernel's between.) */
struct corun_counts {
    uint64_t warp_instructions, thread_instructions; /* issued */
    uint64_t memory_instructions; /* of these warp instructions: global and local memory */
    uint64_t l1_accesses, l1_hits, l1_merged, l1_misses; /* accepted ones; accesses: their sum */
    uint64_t l1_refused;          /* failed attempts, one per cycle tried */
    uint64_t memory_stall_cycles; /* the SM issued nothing, and this app's warp waited for memory */
    uint64_t outstanding; /* loads and atomics beyond L1, summed over memory stall cycles */
    uint64_t blocks_started, blocks_ended;
    uint64_t memory_in_flight;    /* memory instructions, now: as group `limit` counts them */
};

/* What the requests of one app did in one memory partition since cycle 0: a DRAM channel and the L2
 * slices in front of it, all their cycles that began no later than SM cycle view->now. */
struct corun_memory_counts {
    uint64_t l2_accesses, l2_hits, l2_merged, l2_misses; /* accepted ones; accesses: their sum */
    uint64_t l2_refused;          /* failed attempts, one per cycle tried */
    uint64_t l2_writebacks;       /* of lines it wrote last */
    uint64_t dram_requests, dram_row_hits; /* taken into service; those that found their row open */
    uint64_t dram_activates;
    uint64_t dram_bytes;          /* on the data bus, reads and writes */
};

struct corun_view {
    uint64_t now;          /* SM cycle */
    uint32_t sm_n, app_n, partition_n;
    struct corun_resources sm;  /* capacity of one SM */
    /* Launched and not ended, in launch order; but kernels of one app with blocks to give take the
     * app's places in this order by priority. */
    uint32_t kernel_n;
    const struct corun_kernel *kernels;
    const uint32_t *resident;   /* [sm][kernel]: blocks there now; index sm * kernel_n + kernel */
    const uint32_t *target;     /* [sm][kernel]: the last answer of `share`, in the same order */
    /* [sm]: it has come to its targets since they were set last: no kernel had more blocks there,
     * and none with blocks to give had fewer and room for one: in one piece, where the machine's
     * sm.allocator asks for that. */
    const bool *settled;
    /* [app]: it has no blocks to give and never will in this run: its host program has returned,
     * and the run's rule does not start it again. */
    const bool *app_ended;
    /* Fills `out` with what the app has done on the SM. Exact, and as good with cycles skipped. */
    void (*count)(const struct corun_view *view, uint32_t sm, uint32_t app_id,
                  struct corun_counts *out);
    /* The same of a memory partition. */
    void (*count_memory)(const struct corun_view *view, uint32_t partition, uint32_t app_id,
                         struct corun_memory_counts *out);
    /* Writes a line, up to its first control character, into the result, with the cycle: of each
     * policy the first 100 of at most 200 bytes; more are counted. */
    void (*log)(const struct corun_view *view, const char *line);
    void *core;                 /* the simulator's own */
    /* [way], up to setup's l1_ways: accesses of the app on the SM since cycle 0 that found their
     * line at this place of its set, 0 being the one it used last: with w lines of each set the app
     * alone would hit those before w; [l1_ways]: all others. Counted are loads, and local stores
     * that L1 keeps, of one set in `l1_reuse`. NULL: no mechanism of the run has that. */
    const uint64_t *(*count_reuse)(const struct corun_view *view, uint32_t sm, uint32_t app_id);
    /* [app]: the same as of a kernel, of all the app's kernels together. Without a curve; all 0: no
     * isolated run came to an end. NULL: nobody asked by `needs`. */
    const struct corun_alone *app_alone;
    /* Fills `out`. Exact, and as good with cycles skipped. */
    void (*count_use)(const struct corun_view *view, struct corun_use *out);
    /* [sm][kernel]: of `resident`, blocks beyond those that have seats, which is what a target
     * counts. NULL: there are none */
    const uint32_t *extra;
};

struct corun_setup {       /* before cycle 0 */
    uint32_t sm_n, app_n, partition_n;
    struct corun_resources sm;
    uint32_t l1_ways, l1_mshrs, l1_missq; /* lines of a set, MSHR entries, miss queue places */
    uint32_t l2_ways;
    uint64_t seed;
    uint32_t l1_bytes;
    double dram_bytes_per_cycle; /* that a partition's data bus moves at most, per SM cycle */
};

#define CORUN_INF __builtin_inf()
enum corun_option_type {
    CORUN_NUMBER, CORUN_WORD, CORUN_LIST, /* a list: numbers separated by / */
    CORUN_WHOLE, CORUN_WHOLES             /* whole numbers: one, a list */
};
/* The last row is {0}: a table that lacks it is refused when the file is loaded, unless what lies
 * behind it looks like a row. At most 100 rows; names are of letters, digits and _ - . */
struct corun_option {
    const char *name;
    enum corun_option_type type;
    const char *initial;   /* as a user would write it */
    /* of a number and those of a list, inclusive; up to CORUN_INF: `inf` is one */
    double low, high;
    /* CORUN_WORD: the words allowed, separated by |. A list: words allowed instead of it, or
     * NULL */
    const char *words;
    const char *unit, *sentence;
};
struct corun_value {       /* one per option row, in order */
    double number;
    const char *word;      /* CORUN_WORD, or a list given as a word; else NULL */
    uint32_t list_n;
    double list[16];
};

/* The last row is {0}, as of options; the policy counts in uint64_t stats[row], which `init` is
 * given and the result shows. One named `predicted` is the weighted speedup that its last decision
 * expects, in thousandths: at most 1000 for each kernel. */
struct corun_policy_stat {
    const char *name, *unit, *sentence;
};

/* What its hardware would have to store for each SM; the last row is {0}. */
struct corun_storage {
    const char *name;
    uint32_t entry_bits, entries;
};

enum corun_event_kind {
    CORUN_LAUNCH, CORUN_OUT_OF_BLOCKS, CORUN_KERNEL_END, CORUN_BLOCK_START, CORUN_BLOCK_END,
    CORUN_SETTLED,         /* view->settled[sm] has become true */
    CORUN_TIMER,           /* the cycle that `timer` named */
    CORUN_REQUESTS         /* an app's accesses of an SM's L1 have grown by what `requests` said */
};
struct corun_event {
    enum corun_event_kind kind;
    uint32_t kernel;       /* index into view->kernels; not of the last three kinds */
    uint32_t sm;           /* block events, CORUN_SETTLED, CORUN_REQUESTS */
    uint32_t app_id;       /* CORUN_REQUESTS */
    bool restart;          /* CORUN_LAUNCH: a kernel seen before */
    /* CORUN_REQUESTS: the most memory instructions that the app has had in flight there since the
     * policy was last told so of it, as group `limit` counts them */
    uint32_t in_flight_peak;
};

enum corun_need {
    CORUN_NEEDS_PROFILE = 1,
    CORUN_NEEDS_CURVE = 2,      /* and the profile */
    CORUN_NEEDS_IDEMPOTENCE = 4 /* of blocks: noted while they run */
};
enum corun_trait {     /* what `corun check` may hold it to */
    CORUN_SYMMETRIC = 1,   /* two copies of one kernel come equally far */
    CORUN_TABLE = 2,       /* a kernel by itself has no more than its share in company */
    CORUN_QUEUE = 4        /* a kernel may wait for as long as others have blocks to give */
};
struct corun_block {       /* on an SM, not about to end */
    uint32_t kernel;       /* index into view->kernels */
    uint32_t sm;
    uint64_t block_id;     /* in its grid */
    uint64_t warp_instructions; /* it has issued; */
    uint64_t cycles;       /* it has been on SMs */
    uint64_t state_bytes;  /* what it would have to take along: registers, shared memory, warps */
    bool idempotent;       /* it can be begun anew; false: it cannot, or nobody asked by `needs` */
};
enum corun_preempt {
    CORUN_DRAIN,           /* it runs to its end */
    CORUN_IDEAL,           /* it vanishes at once, and goes on elsewhere from where it was */
    /* It issues no more; when what it has under way is back, its state is saved, through the SM's
     * own path to memory or in the time that `preempt.latency` says; until then it holds its room.
     * It goes on elsewhere, once its state is loaded the same way. */
    CORUN_SWITCH,
    CORUN_FLUSH            /* it vanishes at once and begins anew: of an idempotent one only */
};

enum corun_unit { CORUN_BLOCKS, CORUN_WARPS }; /* what gives up its seats: blocks, or warps */
struct corun_residency {   /* of a kernel, on each SM */
    uint32_t extra_blocks; /* resident beyond those that have seats, at most; 0: none */
    enum corun_unit unit;
    /* What an extra block takes; its threads and its block slot it shares with the others. */
    uint32_t registers, shared_bytes;
    uint32_t pool_bytes;   /* of what registers, shared memory and, with `l1`, L1 have left */
    /* That move when a unit gives up its seats, and again when it has them back: */
    uint32_t state_bytes;
    uint32_t bytes_per_cycle;
    /* Cycles after which, while one could go on and none waits, some unit gives up its seats, in
     * turn; 0: never. */
    uint32_t quantum;
    bool l1;               /* L1 holds state: while an SM has extra blocks nothing is looked up */
    bool barriers;         /* warps that wait at a barrier give up their seats, too */
    bool pinned;           /* the oldest block keeps its seats, and comes to them first */
    bool returned_first;   /* units that ran before get seats before those that have not */
};

enum corun_rule {          /* what the machine does among those of one rank, until asked again */
    CORUN_NO_RULE,         /* they are as one */
    CORUN_ROTATE,          /* they take turns */
    CORUN_LEAST_RATIO      /* first the one that issued least of what it had ready */
};

struct corun_contest {     /* for the memory pipeline of an SM, in the cycle that begins */
    uint32_t sm;
    uint32_t apps;         /* a bit for each that has a memory instruction that could issue */
    uint64_t issued[CORUN_APPS_MAX]; /* memory instructions there so far; */
    uint64_t last[CORUN_APPS_MAX];   /* the cycle of the last of them, 0: none */
};
struct corun_entries {     /* of L1, that an app may have at most; 0: as many as it gets */
    uint32_t mshrs, missq;
};

struct corun_policy {
    uint32_t abi;          /* CORUN_POLICY_ABI */
    uint32_t size_bytes;   /* sizeof(struct corun_policy) */
    const char *name, *sentence, *source; /* source: paper and section */
    const struct corun_option *options;   /* NULL: none */
    const struct corun_policy_stat *stats; /* NULL: none */
    size_t state_bytes;

    /* Called once before cycle 0. NULL: accepted; else one sentence saying what is wrong with the
     * options. */
    const char *(*init)(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats);

    /* What it needs to know, bits of enum corun_need: of kernels before cycle 0, for which isolated
     * runs are made, or taken from the cache, and view->kernels[k].alone holds what they told; of
     * blocks. NULL: nothing. */
    uint32_t (*needs)(const struct corun_value *values);

    /* group `admit`: which launched kernels may have blocks on the GPU now. Fills admit[kernel],
     * all true before the call. Absent: all. Asked when a kernel is launched, runs out of blocks or
     * ends, and at the cycle `timer` names. (Never in a cycle in which a kernel has ended, but in
     * the next one: the app's next kernel may be there by then.) */
    void (*admit)(void *state, const struct corun_view *view, bool *admit);

    /* group `share`: how many blocks of each kernel each SM should hold. Fills target[sm * kernel_n
     * + kernel], all CORUN_TARGET_FULL before the call. Absent: as many as fit. Asked at the same
     * moments as `admit`, after it. A target below what is resident is reached by `preempt`. A
     * kernel without pending blocks needs none: what it has runs to its end. Targets of kernels
     * with pending blocks that no SM can hold together are refused: counted, and used as far as
     * they fit. */
    void (*share)(void *state, const struct corun_view *view, uint32_t *target);

    /* group `preempt`: how a block leaves an SM that has more of its kernel than the target. Asked
     * after `share` for as many blocks as are too many there, the youngest first, and again
     * whenever `share` is, of those that are not on their way. To flush a block that cannot be
     * begun anew is refused: counted, and CORUN_DRAIN. Absent: CORUN_DRAIN. */
    enum corun_preempt (*preempt)(void *state, const struct corun_view *view,
                                  const struct corun_block *block);

    /* group `residency`: how many blocks of each kernel an SM holds beyond those that have seats:
     * threads, warp slots and a block slot. Fills answer[kernel], all 0 before the call. When an SM
     * can start no more blocks of its kernels it takes extra ones, up to that number and as far as
     * registers and shared memory hold what `answer` says of them, while a kernel with a target
     * there does not wait for room. Blocks, or warps, of a launch then take turns at its seats: one
     * that waits for global or local memory beyond L1 (or, as `barriers` says, at a barrier) gives
     * its seats to one that can go on; the SM's one switch engine moves their states, one pair at a
     * time. A block is such a unit if all its warps wait, at a barrier or for memory. An extra
     * block has a seat of its own when a block of its launch has ended. Not of cooperative
     * launches, nor where blocks lie in ranges (sm.allocator). bytes_per_cycle of 0, and another
     * `unit` of a launch that has extra blocks, are refused: counted, and as before. Absent: none.
     * Asked when `share` is, after it. */
    void (*residency)(void *state, const struct corun_view *view, struct corun_residency *answer);

    /* group `quota`: how many warp instructions each kernel may issue on the SM before those of the
     * others count. Fills quota[kernel], all CORUN_NO_QUOTA before the call. A kernel that has used
     * up its quota issues nothing more there until every kernel that has a quota and a block there
     * has used up its own; then all are full again. New quotas count from that moment on, a first
     * one at once. Kernels of one app share the sum of theirs; 0 is refused: counted, and 1.
     * Absent: no quotas. Asked whenever the blocks on the SM have changed, and at the cycle `timer`
     * names. */
    void (*quota)(void *state, const struct corun_view *view, uint32_t sm, uint32_t *quota);

    /* group `order`: whose warps the schedulers of an SM look at first. Fills rank[kernel], all 0
     * before the call: the lowest first; among those of one rank, by the rule that is returned,
     * each scheduler for itself. CORUN_ROTATE: from the kernel whose turn it is on, by app; the
     * turn goes to the next one that had a warp that could have issued, after each cycle in which
     * there is one. CORUN_LEAST_RATIO: the least of issued warp instructions / (warps that could
     * have issued, summed over cycles) since cycle 0. Warps of a kernel keep the order they have by
     * themselves. Kernels of one app have the lowest of their ranks. Absent: ranks 0, no rule.
     * Asked when `quota` is. */
    enum corun_rule (*order)(void *state, const struct corun_view *view, uint32_t sm,
                             uint32_t *rank);

    /* group `limit`: how many memory instructions a kernel may have in flight on the SM: of global
     * and local memory, loads and atomics until their last reply, stores until L1 has taken them.
     * Fills limit[kernel], all CORUN_NO_LIMIT before the call. A warp that is held back does not
     * block its scheduler. Kernels of one app share the sum of theirs; 0 is refused: counted, and
     * 1. Absent: no limits. Asked when `quota` is. */
    void (*limit)(void *state, const struct corun_view *view, uint32_t sm, uint32_t *limit);

    /* group `arbiter`: of those that compete for an SM's memory pipeline, who has it in this cycle,
     * so that the schedulers issue nobody else's memory instructions: an app of contest->apps.
     * Those of the others are held back, as those at their limit are before. Any other answer is
     * refused: counted, and the first of them taken. Called before the SM's cycle view->now, when
     * two or more apps have one that could issue: what it counts on this SM are the cycles before.
     * Absent: the schedulers choose. */
    uint32_t (*arbiter)(void *state, const struct corun_view *view,
                        const struct corun_contest *contest);

    /* group `l1_lines`: how many lines of each set of the SM's L1 an app may have. Fills ways[app],
     * all 0 before the call: as many as it gets. An app that has fewer takes a line from one that
     * has more, one that has as many gives up a line of its own; all hit in all lines. Absent: 0.
     * Asked when `quota` is. */
    void (*l1_lines)(void *state, const struct corun_view *view, uint32_t sm, uint32_t *ways);

    /* group `l1_entries`: how many MSHR entries and places in the miss queue of the SM's L1 an app
     * may have. Fills most[app], all 0 before the call. An access that needs one more is refused,
     * whatever is free; to merge with a miss of the same line takes no entry. Absent: 0. Asked when
     * `quota` is. */
    void (*l1_entries)(void *state, const struct corun_view *view, uint32_t sm,
                       struct corun_entries *most);

    /* group `l2_ways`: how many lines of each set an app may have in the L2 slices of a memory
     * partition, as l1_lines. Fills ways[app], all 0 before the call. Absent: 0. Asked when `share`
     * is, for each partition. */
    void (*l2_ways)(void *state, const struct corun_view *view, uint32_t partition,
                    uint32_t *ways);

    /* group `dram_rank`: which app's requests a DRAM channel serves first, of those that wait for a
     * bank and miss its open row. Fills rank[app], all 0 before the call: the lowest first; of one
     * rank the oldest request, or, if CORUN_ROTATE is returned, that of the app whose turn it is:
     * by app, from the one behind the app so served last on. (Another rule is refused: counted,
     * and none.) Where the channel serves all in order (dram.scheduler=fcfs) hits do not go
     * before. Holds after the channel's fixed latency. Absent: ranks 0, no rule. Asked when
     * `l2_ways` is. */
    enum corun_rule (*dram_rank)(void *state, const struct corun_view *view, uint32_t partition,
                                 uint32_t *rank);

    /* group `watch`: told, after the fact. Absent: not told. */
    void (*watch)(void *state, const struct corun_view *view, const struct corun_event *event);
    uint32_t events;       /* what it is told: bits 1 << enum corun_event_kind; 0: everything */

    /* The cycle at which it wants to be told CORUN_TIMER and asked again, read after its other
     * hooks were called; one that is not after view->now means the next. One that stays at the same
     * cycle a thousand cycles later is refused: counted once. (Some hook moves it on; if that is
     * `watch`, `events` has CORUN_TIMER.) Absent: CORUN_NEVER. */
    uint64_t (*timer)(const void *state);

    /* How many requests to L1 make an event: each time l1_accesses of an app on an SM have reached
     * another multiple of this number it is told CORUN_REQUESTS, and asked the groups of that SM:
     * answers hold from the next cycle on. Read after `init`. Absent, or 0: never. */
    uint64_t (*requests)(const void *state);

    /* What is true of it by intent, with these options: bits of enum corun_trait. NULL: none. */
    uint32_t (*traits)(const struct corun_value *values);

    /* Of a policy that measures first: cycles within which, from the moment these kernels run
     * together, its targets are final as long as they do; those in which an SM is on its way to
     * its targets are not counted. `corun check` holds it to that. NULL: it does not say. */
    uint64_t (*decides_cycles)(const struct corun_value *values, const struct corun_view *view);

    /* Of how many sets of L1 one is watched for view->count_reuse; of several mechanisms the least
     * counts. Read after `init`. Absent, or 0: none. */
    uint32_t (*l1_reuse)(const void *state);

    const struct corun_storage *storage; /* NULL: it does not say */
};

/* ---- arithmetic that many policies want ---- */

static inline uint32_t corun_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Classes by how much is used: below `under` of each resource, above `saturated` of any, and
 * moderate, which is what is left. Paper 003 table 3. */
struct corun_limits {
    double under, saturated;
};
static inline struct corun_limits corun_limits_of(enum corun_resource r)
{
    static const struct corun_limits limits[CORUN_RESOURCE_N] = {
        [CORUN_SCHEDULER] = {0.60, 0.80}, [CORUN_L1] = {0.60, 0.80}, [CORUN_L2] = {0.60, 0.80},
        [CORUN_TO_L2] = {0.60, 0.90}, [CORUN_TO_SM] = {0.60, 0.90}, [CORUN_DRAM] = {0.50, 0.70}};
    return limits[r];
}
enum corun_class { CORUN_UNDERUTILIZED, CORUN_MODERATE, CORUN_SATURATED };
static inline enum corun_class corun_class_of(const double use[CORUN_RESOURCE_N])
{
    bool under = true, saturated = false;
    for (uint32_t r = 0; r < CORUN_RESOURCE_N; r++) {
        struct corun_limits of = corun_limits_of((enum corun_resource)r);
        under &= use[r] < of.under;
        saturated |= use[r] > of.saturated;
    }
    return saturated ? CORUN_SATURATED : under ? CORUN_UNDERUTILIZED : CORUN_MODERATE;
}

/* How many blocks fit an SM of which `used` is taken. */
static inline uint32_t corun_room(const struct corun_resources *sm,
                                  const struct corun_resources *used,
                                  const struct corun_resources *block)
{
    uint32_t n = UINT32_MAX;
    if (used->threads > sm->threads || used->registers > sm->registers ||
        used->shared_bytes > sm->shared_bytes || used->blocks > sm->blocks)
        return 0;
    if (block->threads) n = corun_least(n, (sm->threads - used->threads) / block->threads);
    if (block->registers) n = corun_least(n, (sm->registers - used->registers) / block->registers);
    if (block->shared_bytes)
        n = corun_least(n, (sm->shared_bytes - used->shared_bytes) / block->shared_bytes);
    if (block->blocks) n = corun_least(n, (sm->blocks - used->blocks) / block->blocks);
    return n;
}

/* used += n blocks */
static inline void corun_take(struct corun_resources *used, const struct corun_resources *block,
                              uint32_t n)
{
    used->threads += n * block->threads;
    used->registers += n * block->registers;
    used->shared_bytes += n * block->shared_bytes;
    used->blocks += n * block->blocks;
}

/* The n entries of order[] by their value, the least first; equal ones stay in the order they are
 * in. */
static inline void corun_sort(const double *value, uint32_t n, uint32_t *order)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t one = order[i], at = i;
        for (; at && value[one] < value[order[at - 1]]; at--) order[at] = order[at - 1];
        order[at] = one;
    }
}

/* rank[i]: how many of the n entries come before entry i by their value, the least first; of equal
 * ones the first. */
static inline void corun_rank(const double *value, uint32_t n, uint32_t *rank)
{
    for (uint32_t i = 0; i < n; i++) {
        rank[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            rank[i] += value[j] < value[i] || (value[j] == value[i] && j < i);
    }
}

/* Blocks of the kernel on the SM that have seats: what its target there counts. */
static inline uint32_t corun_seated(const struct corun_view *view, uint32_t sm, uint32_t kernel)
{
    uint32_t at = sm * view->kernel_n + kernel;
    return view->resident[at] - (view->extra ? view->extra[at] : 0);
}

/* What an app has done on all SMs. */
static inline void corun_count_gpu(const struct corun_view *view, uint32_t app_id,
                                   struct corun_counts *out)
{
    enum { COUNTS = sizeof *out / sizeof(uint64_t) };
    uint64_t sum[COUNTS] = {0}, one[COUNTS];
    for (uint32_t sm = 0; sm < view->sm_n; sm++) {
        view->count(view, sm, app_id, out);
        memcpy(one, out, sizeof one);
        for (uint32_t i = 0; i < COUNTS; i++) sum[i] += one[i];
    }
    memcpy(out, sum, sizeof sum);
}

/* For a policy that waits until all SMs have come to new targets. Once it has changed its mind it
 * sets *timer, what its `timer` returns, to the next cycle, as an SM that is in place already
 * causes no CORUN_SETTLED; then it hands what it is told to this, until that says that they are
 * there. */
static inline bool corun_in_place(const struct corun_view *view, const struct corun_event *event,
                                  uint64_t *timer)
{
    bool due = event->kind == CORUN_TIMER && view->now >= *timer;
    if (!due && event->kind != CORUN_SETTLED) return false;
    *timer = CORUN_NEVER;
    for (uint32_t sm = 0; sm < view->sm_n; sm++)
        if (!view->settled[sm]) return false;
    return true;
}

/* The kernels that share the GPU now: of each app the first one with pending blocks in the order of
 * view->kernels (by stream priority, then by arrival). Fills player[] with indexes into
 * view->kernels, by app id; returns their number, at most app_n. */
static inline uint32_t corun_players(const struct corun_view *view, uint32_t *player)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < view->app_n; a++)
        for (uint32_t k = 0; k < view->kernel_n; k++) {
            const struct corun_kernel *kernel = &view->kernels[k];
            if (kernel->app_id != a || !kernel->pending_blocks) continue;
            player[n++] = k;
            break;
        }
    return n;
}

/* The kernels that run: of each app the first one with pending blocks, else its first one. */
static inline uint32_t corun_running(const struct corun_view *view, uint32_t *running)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < view->app_n; a++) {
        uint32_t best = view->kernel_n;
        for (uint32_t k = view->kernel_n; k--;) {
            const struct corun_kernel *kernel = &view->kernels[k];
            if (kernel->app_id != a) continue;
            if (best == view->kernel_n || kernel->pending_blocks ||
                !view->kernels[best].pending_blocks)
                best = k;
        }
        if (best < view->kernel_n) running[n++] = best;
    }
    return n;
}

/* When the others get the share of an app that has no blocks to give: an option of every policy
 * that gives shares, CORUN_FILL_OPTION among its options. */
enum corun_fill { CORUN_FILL_END, CORUN_FILL_TAIL, CORUN_FILL_OFF };
#define CORUN_FILL_OPTION                                                                          \
    {                                                                                              \
        "fill", CORUN_WORD, "end", 0, 0, "end|tail|off", "",                                       \
        "When others get the share of an app without blocks to give: once it has no more to "      \
        "launch in this run (end), at the end of each of its launches (tail), or never (off)."     \
    }
static inline enum corun_fill corun_fill_of(const struct corun_value *value)
{
    return value->word[0] == 'e'   ? CORUN_FILL_END
           : value->word[0] == 't' ? CORUN_FILL_TAIL
                                   : CORUN_FILL_OFF;
}

/* Whether the kernel, one of corun_running, holds its app's share. */
static inline bool corun_holds(const struct corun_view *view, enum corun_fill fill, uint32_t kernel)
{
    const struct corun_kernel *k = &view->kernels[kernel];
    return k->pending_blocks || fill == CORUN_FILL_OFF ||
           (fill == CORUN_FILL_END && !view->app_ended[k->app_id]);
}

/* Those that hold a share: of the kernels that run, as corun_running. */
static inline uint32_t corun_sharers(const struct corun_view *view, enum corun_fill fill,
                                     uint32_t *sharer)
{
    uint32_t m = 0, n = corun_running(view, sharer);
    for (uint32_t i = 0; i < n; i++)
        if (corun_holds(view, fill, sharer[i])) sharer[m++] = sharer[i];
    return m;
}

/* Admits these of the kernels with blocks to give, and no others: the rest waits. */
static inline void corun_admit_only(const struct corun_view *view, const uint32_t *player,
                                    uint32_t n, bool *admit)
{
    for (uint32_t k = 0; k < view->kernel_n; k++) admit[k] = !view->kernels[k].pending_blocks;
    for (uint32_t i = 0; i < n; i++) admit[player[i]] = true;
}

/* An app's limit on an SM, as those of its kernels with blocks there: as even as whole numbers are,
 * at least 1 for each. */
static inline void corun_limit_app(const struct corun_view *view, uint32_t sm, uint32_t app_id,
                                   uint32_t most, uint32_t *limit)
{
    const uint32_t *resident = &view->resident[sm * view->kernel_n];
    uint32_t n = 0, i = 0;
    for (uint32_t k = 0; k < view->kernel_n; k++)
        n += view->kernels[k].app_id == app_id && resident[k];
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        if (view->kernels[k].app_id != app_id || !resident[k]) continue;
        limit[k] = most > n ? most / n + (i++ < most % n) : 1;
    }
}

/* Which of n neighbours owns an SM when each has the same number; the first ones have one more. */
static inline uint32_t corun_even_owner(uint32_t sm, uint32_t sm_n, uint32_t n)
{
    uint32_t each = sm_n / n, more = sm_n % n, first = more * (each + 1);
    if (sm < first) return sm / (each + 1);
    return each ? more + (sm - first) / each : n;
}

/* What the i-th of n neighbours has when each has the same; the first ones have one more. */
static inline uint32_t corun_part(uint32_t all, uint32_t n, uint32_t i)
{
    return all / n + (i < all % n);
}

/* Apps with a block on the SM: a bit for each. */
static inline uint32_t corun_apps_on(const struct corun_view *view, uint32_t sm)
{
    uint32_t apps = 0;
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (view->resident[sm * view->kernel_n + k]) apps |= 1u << view->kernels[k].app_id;
    return apps;
}

/* What a policy's file defines: this, or corun_policy_FILE (FILE.c, with _ for -), as in
 * src/policy, where list.def names it. The same source does for both. */
extern const struct corun_policy corun_policy;

#endif
