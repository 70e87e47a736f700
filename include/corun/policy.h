/* corun/policy.h - the interface between the simulator and a sharing policy.
 *
 * A policy only answers; the simulator acts. A policy fills one `struct corun_policy` with hooks. A
 * hook left NULL means the default stated beside the hook. The simulator calls the hooks when
 * something has changed, checks every answer against the SM's resources, and counts refused
 * answers. A policy keeps all state in the `state_bytes` requested, zeroed before `init`. A policy
 * has no other memory, draws no random numbers of its own and reads no clock except view->now;
 * therefore equal runs give bit-identical results. A hook writes only the answer, the state and the
 * counters. A write just beside these ends the run, and `corun check` finds writes into the view;
 * other writes are not detected.
 *
 * Every hook except `init`, `needs`, `instances`, `sets` and `arbiter` is called at the end of SM
 * cycle view->now, after the SMs have completed the cycle and before blocks start: all hooks called
 * in a cycle see the same state and the same counts.
 *
 * `watch` is called first in a cycle. A group called because of an event, or in the cycle of
 * `timer`, therefore finds the policy's state as `watch` left it. Exception: CORUN_SETTLED is sent
 * after the groups.
 *
 * The groups `admit` to `limit` concern blocks and issue; their answers are per kernel, indexed as
 * view->kernels. The groups for caches and DRAM answer per app, indexed by app_id.
 *
 * Terms: An app is a program. A kernel is the combination of app, function, block shape and shared
 * bytes: later launches with the same four are restarts of the same kernel. A block is a thread
 * block. A resident block holds registers and shared memory of an SM; a seated block also holds
 * seats: threads, warp slots and a block slot. A refused answer is counted and replaced as stated
 * at the hook. */
#ifndef CORUN_POLICY_H
#define CORUN_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CORUN_POLICY_ABI 17
#define CORUN_STATE_MAX (1u << 30)  /* bytes of a policy's state */
#define CORUN_APPS_MAX 8             /* programs in one run */
#define CORUN_SMS_MAX 256            /* SMs of a machine */
#define CORUN_PARTITIONS_MAX 256     /* memory partitions of a machine */
#define CORUN_TARGET_FULL UINT32_MAX /* as many blocks as fit */
#define CORUN_NO_QUOTA UINT32_MAX    /* may always issue */
#define CORUN_NO_LIMIT UINT32_MAX    /* any number */
#define CORUN_NEVER UINT64_MAX       /* a cycle that never comes */
#define CORUN_NO_APP UINT32_MAX      /* no app */

/* Resources of a block or of an SM. */
struct corun_resources {
    uint32_t threads;      /* rounded up to whole warps */
    uint32_t registers;    /* 32-bit, rounded up to the machine's allocation unit */
    uint32_t shared_bytes;
    uint32_t blocks;       /* block slots */
};

/* Figures of a kernel from isolated runs: its app alone on this machine, under the run's rule. */
struct corun_alone {
    double ipc;            /* thread instructions per cycle of the GPU, as many blocks as fit */
    double issue_fraction; /* fraction of scheduler cycles with an issue, on SMs that had a block */
    double resident_blocks; /* per SM with at least one block; mean over these SMs and cycles */
    double sms;             /* SMs with at least one block, mean over cycles */
    double mpki;            /* L2 misses per thousand thread instructions */
    double bandwidth_fraction; /* bytes moved by the DRAM channels, as a fraction of the peak */
    uint32_t curve_n;      /* number of points in `curve`; 0: not requested */
    const double *curve;   /* [t - 1]: thread instructions per cycle with at most t blocks per SM */
};

struct corun_kernel {
    uint32_t kernel_id;    /* equal for all launches of the kernel */
    uint32_t app_id;
    const char *name;      /* the function's name */
    uint64_t launch_order; /* by (cycle, app): a smaller number was launched earlier */
    uint64_t arrival_cycle;
    /* Priority of the stream or the launch; lower numbers go first. While an admitted kernel with
     * pending blocks is below its target on an SM, the machine starts on the SM no block of a
     * kernel of the same app with a higher number. 0 unless the program sets a priority, as in
     * CUDA. */
    int32_t priority;
    bool cooperative;      /* all blocks must run at the same time */
    uint64_t grid_blocks;  /* blocks of the whole launch */
    uint64_t pending_blocks; /* blocks not yet dispatched, and blocks taken off an SM */
    uint64_t running_blocks; /* resident on the GPU */
    /* No block of the kernel can start, because another app has the GPU (`holder`) or because of
     * the machine's launch.resident_grids; pending_blocks reads 0 then. */
    bool held_off;
    /* The last answer of `admit`; false beyond the machine's launch.resident_grids. */
    bool admitted;
    struct corun_resources block; /* resources of a block */
    uint32_t full_blocks;  /* maximum number of the kernel's blocks on an empty SM */
    /* Warp instructions per block, mean over ended blocks; 0: no block has ended. */
    double block_instructions;
    /* Registers per thread that hold live values where a warp may wait for long: at the first use
     * of a loaded value, and at barriers. Maximum over these points, by live-register analysis; at
     * most the registers per thread of `block`. */
    uint32_t waiting_registers;
    /* NULL: no policy requested isolated runs by `needs`, or no isolated run reached the kernel. */
    const struct corun_alone *alone;
};

/* Throughput of the whole GPU, used by all apps since cycle 0. The utilisation in an interval is
 * the difference of `done` divided by the difference of `most`. */
enum corun_resource {
    CORUN_SCHEDULER,       /* instructions issued */
    CORUN_L1, CORUN_L2,    /* cycles in which hits occupied the data ports */
    CORUN_TO_L2, CORUN_TO_SM, /* flits in the crossbars; most: the sustained maximum */
    CORUN_DRAM,            /* bytes */
    CORUN_RESOURCE_N
};
struct corun_use { double done[CORUN_RESOURCE_N], most[CORUN_RESOURCE_N]; };

/* Counts of an app's kernels on one SM since cycle 0, including cycle view->now. Counts are kept
 * per app: the kernels of an app run one after another, and the difference between two readings
 * belongs to the kernel running in between. */
struct corun_counts {
    uint64_t warp_instructions, thread_instructions; /* issued */
    uint64_t memory_instructions; /* issued accesses of global or local memory */
    /* Accepted accesses of L1: hits, merged accesses and misses add up to accesses. */
    uint64_t l1_accesses, l1_hits, l1_merged, l1_misses;
    uint64_t l1_refused;          /* failed attempts, one per cycle of trying */
    uint64_t memory_stall_cycles; /* SM issued nothing while a warp of the app waited for memory */
    uint64_t outstanding; /* loads and atomics beyond L1, summed over memory stall cycles */
    uint64_t blocks_started, blocks_ended;
    uint64_t memory_in_flight;    /* memory instructions in flight now, counted as by `limit` */
};

/* Counts of an app's requests in one memory partition since cycle 0. A memory partition is a DRAM
 * channel and the L2 slices in front of the channel. Includes all channel and slice cycles that
 * began no later than SM cycle view->now. */
struct corun_memory_counts {
    /* Accepted accesses of L2: hits, merged accesses and misses add up to accesses. */
    uint64_t l2_accesses, l2_hits, l2_merged, l2_misses;
    uint64_t l2_refused;          /* failed attempts, one per cycle of trying */
    uint64_t l2_writebacks;       /* write-backs of lines last written by the app */
    uint64_t dram_requests, dram_row_hits; /* requests taken into service; found their row open */
    uint64_t dram_activates;
    uint64_t dram_bytes;          /* on the data bus, reads and writes */
};

/* What the user says of an app. */
struct corun_app {
    int32_t priority;      /* lower numbers go first; 0 unless the app has the key `priority` */
    /* Cycle by which the request that the app executes must be completed: arrival + deadline_us.
     * CORUN_NEVER: no request is executed, or requests have no deadline. */
    uint64_t deadline;
};

struct corun_view {
    uint64_t now;          /* SM cycle */
    uint32_t sm_n, app_n, partition_n;
    struct corun_resources sm;  /* capacity of one SM */
    /* Kernels launched and not ended, in launch order. Exception: kernels of the same app with
     * pending blocks are sorted by priority among the positions of their app. */
    uint32_t kernel_n;
    const struct corun_kernel *kernels;
    const uint32_t *resident;   /* [sm][kernel]: resident blocks; index sm * kernel_n + kernel */
    /* [sm][kernel]: extra blocks, i.e. blocks included in `resident` beyond the blocks that have
     * seats. A target counts only blocks with seats. NULL: no extra blocks. */
    const uint32_t *extra;
    const uint32_t *target;     /* [sm][kernel]: the last answer of `share`, same index */
    /* [sm]: true once the SM has reached its current targets: no kernel was above its target, and
     * no kernel with pending blocks was below its target although another block fitted (into a
     * contiguous range, if sm.allocator requires ranges). Becomes false when the targets change. */
    const bool *settled;
    /* [app]: the app has no pending blocks and will have none later in the run: the app's host
     * program has returned, and the stop rule of the run does not restart the app. */
    const bool *app_ended;
    const struct corun_app *apps; /* [app] */
    /* [app]: isolated-run figures over all kernels of the app, without a curve; all 0: no isolated
     * run completed. NULL: no policy requested isolated runs by `needs`. */
    const struct corun_alone *app_alone;
    /* With the group `holder`: the app that has the GPU, and the cycle from which on blocks of the
     * app may start. CORUN_NO_APP and CORUN_NEVER: no app yet, or the states of apps are moving. */
    uint32_t holder;
    uint64_t held_since;
    /* Fills `out` with the app's counts on the SM. Exact, also when the simulator skips cycles. */
    void (*count)(const struct corun_view *view, uint32_t sm, uint32_t app_id,
                  struct corun_counts *out);
    /* Fills `out` with the app's counts in the memory partition. Exact, as `count`. */
    void (*count_memory)(const struct corun_view *view, uint32_t partition, uint32_t app_id,
                         struct corun_memory_counts *out);
    /* Returns the app's L1 accesses on the SM, by LRU stack distance, since cycle 0. [d], d below
     * l1_ways of corun_setup: accesses of the line at position d of the set, in order of the app's
     * last use (0: used last). With w lines per set, the app alone would hit the accesses with d
     * below w. [l1_ways]: all other accesses. Counts loads, and local stores kept by L1, in the
     * monitored sets: see the hook `l1_reuse`. NULL: no mechanism of the run has the hook. */
    const uint64_t *(*count_reuse)(const struct corun_view *view, uint32_t sm, uint32_t app_id);
    /* Fills `out` with the use of the GPU's throughput, exact also when cycles are skipped. */
    void (*count_use)(const struct corun_view *view, struct corun_use *out);
    /* Writes a line, up to the first control character, into the result, together with the cycle.
     * The result keeps the first 100 lines of each policy, at most 200 bytes each; further lines
     * are only counted. The file of --policy-log has all lines, at most 1000 bytes each. */
    void (*log)(const struct corun_view *view, const char *line);
    /* Machines with a list of carve-outs (sm.carveouts), where shared memory and L1 are one memory;
     * on other machines all entries are sm.shared_bytes. carveout[sm]: shared memory that the
     * blocks of the SM can have at present; an SM without blocks can take any size. carveout_wanted
     * [kernel]: size wanted by the kernel. An SM takes the largest size that its next kernels want,
     * and keeps the size until no block is left. */
    const uint32_t *carveout, *carveout_wanted;
    void *core;                 /* internal to the simulator */
};

/* SMs of an instance by profile, as NVIDIA's MIG names profiles; 0: the machine has no such
 * profile. sms_1g_quarter: the profile of one slice of SMs with a quarter of the memory. name_gb:
 * memory in the name of the whole GPU's profile, as 80 in 7g.80gb; 0: names have no memory. */
struct corun_mig {
    uint32_t sms_1g, sms_1g_quarter, sms_2g, sms_3g, sms_4g, sms_7g, name_gb;
};

/* A part of the GPU that is a GPU by itself. */
struct corun_instance {
    uint32_t sms, partitions; /* SMs and memory partitions; 0 SMs: the instance does not exist */
    uint32_t l2_ways;      /* lines of each L2 set; 0: all */
};

/* Adjacent SMs for some apps, which share all other parts of the GPU with other sets. */
struct corun_sm_set {
    uint32_t first, sms;   /* 0 SMs: the set does not exist */
};

struct corun_setup {       /* passed to `init`, before cycle 0 */
    uint32_t sm_n, app_n, partition_n;
    struct corun_resources sm;
    uint32_t l1_bytes;     /* with a list of carve-outs: beside the largest */
    uint32_t l1_ways, l1_mshrs, l1_missq; /* lines per set, MSHR entries, miss queue entries */
    uint32_t l2_ways;
    double dram_bytes_per_cycle; /* peak of a partition's data bus, in bytes per SM cycle */
    double sm_mhz;         /* clock of the SMs */
    uint64_t seed;
    uint32_t capability;   /* compute capability of the machine, times 10: 75 for 7.5 */
    uint32_t mps_chunks;   /* the machine's mps.chunks */
    struct corun_mig mig;  /* the machine's options of section mig */
    bool instance;         /* the GPU is an instance: see the group `instances` */
    uint32_t app_in_run[CORUN_APPS_MAX]; /* [app] number of the app in the run */
    /* [app]: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE of the app's program; 0: not set */
    double mps_percent[CORUN_APPS_MAX];
};

#define CORUN_INF __builtin_inf()
enum corun_option_type {
    CORUN_NUMBER, CORUN_WORD, CORUN_LIST, /* a list: numbers separated by / */
    CORUN_WHOLE, CORUN_WHOLES,            /* a whole number; a list of whole numbers */
    CORUN_TEXT,            /* any text without , [ ], checked by `init` */
    CORUN_INSIDE           /* `none`, or policies joined by +, which work in instances or sets of
                            * SMs in place of the other hooks of the policy: see the groups
                            * `instances` and `sets`. The name of the option is `inside`. */
};
/* An option of the policy. The last row of the table is {0}; a table without {0} is rejected when
 * the file is loaded, unless the bytes behind the table look like a row. At most 100 rows. Names
 * consist of letters, digits and _ - . and occur once in a table; the keys of a mechanism in
 * results (refusals, refused, blocks_per_sm, log, log_lines, mixes) are rejected. */
struct corun_option {
    const char *name;
    enum corun_option_type type;
    const char *initial;   /* default value, in the syntax of the command line */
    /* Inclusive range of a number, or of each number of a list. With a high of CORUN_INF, `inf` is
     * a valid value. */
    double low, high;
    /* CORUN_WORD: the words allowed, separated by |. Lists: words in place of the list, or NULL.
     * CORUN_TEXT: what the text is, as "auto or profiles", for messages. */
    const char *words;
    const char *unit, *sentence;
};
struct corun_value {       /* value of an option; one per option row, in the same order */
    double number;
    const char *word;      /* CORUN_WORD, CORUN_TEXT, CORUN_INSIDE, or a list given as a word; else
                            * NULL */
    uint32_t list_n;
    double list[16];
};

/* A counter of the policy. The last row is {0}, and names are as for options. The policy counts in
 * uint64_t stats[row]; `init` receives the array, and the result shows the values. A counter named
 * `predicted` is the weighted speedup expected by the policy's last decision, in thousandths: at
 * most 1000 per kernel. A counter named `undecided` is 1 from the first profile of running kernels
 * to the first decision: a run whose window is half over then warns. */
struct corun_policy_stat {
    const char *name, *unit, *sentence;
};

/* Storage per SM that hardware of the policy would need; the last row is {0}. */
struct corun_storage {
    const char *name;
    uint32_t entry_bits, entries;
};

enum corun_event_kind {
    CORUN_LAUNCH, CORUN_OUT_OF_BLOCKS, CORUN_KERNEL_END, CORUN_BLOCK_START, CORUN_BLOCK_END,
    CORUN_SETTLED,         /* view->settled[sm] has become true */
    CORUN_TIMER,           /* the cycle returned by `timer` */
    CORUN_REQUESTS         /* an app's L1 accesses on an SM have grown by the value of `requests` */
};
struct corun_event {
    enum corun_event_kind kind;
    uint32_t kernel;       /* index into view->kernels; unset for the last three kinds */
    uint32_t sm;           /* block events, CORUN_SETTLED, CORUN_REQUESTS */
    uint32_t app_id;       /* CORUN_REQUESTS */
    bool restart;          /* CORUN_LAUNCH: the kernel was launched before */
    /* CORUN_REQUESTS: maximum number of memory instructions of the app in flight on the SM since
     * the last such event for the app and SM, counted as by `limit` */
    uint32_t in_flight_peak;
};

enum corun_need {
    CORUN_NEEDS_PROFILE = 1,
    CORUN_NEEDS_CURVE = 2,      /* the curve, in addition to the profile */
    CORUN_NEEDS_IDEMPOTENCE = 4 /* of blocks: recorded while the blocks run */
};
enum corun_trait {     /* properties of the policy; `corun check` may verify them */
    CORUN_SYMMETRIC = 1,   /* two copies of one kernel make equal progress */
    CORUN_TABLE = 2,       /* a kernel that runs alone still gets only its share */
    CORUN_QUEUE = 4        /* a kernel may wait as long as other kernels have pending blocks */
};
struct corun_block {       /* a block on an SM, not about to end */
    uint32_t kernel;       /* index into view->kernels */
    uint32_t sm;
    uint64_t block_id;     /* index in the grid */
    uint64_t warp_instructions; /* issued by the block */
    uint64_t cycles;       /* spent on SMs */
    uint64_t state_bytes;  /* size of the block's state: registers, shared memory, warps */
    bool idempotent;       /* may be restarted; false: may not, or not requested by `needs` */
};
enum corun_preempt {
    CORUN_DRAIN,           /* the block runs to its end */
    CORUN_IDEAL,           /* the block disappears at once and resumes elsewhere, at no cost */
    /* The block stops issuing. When its accesses in flight have completed, its state is saved,
     * through the SM's own path to memory or in the time given by `preempt.latency`; until then the
     * block keeps its resources. The block continues elsewhere after loading its state in the same
     * way. */
    CORUN_SWITCH,
    CORUN_FLUSH            /* the block disappears at once and restarts; idempotent blocks only */
};

/* State that leaves the chip when another app gets the GPU, and returns with the app. */
enum corun_state {
    CORUN_STATE_NONE,      /* blocks leave as by CORUN_IDEAL: no traffic, no time */
    CORUN_STATE_RESIDENT,  /* states of the app's blocks, as by CORUN_SWITCH */
    CORUN_STATE_FULL       /* all registers and shared memory of each SM, used or not */
};

enum corun_unit { CORUN_BLOCKS, CORUN_WARPS }; /* units that give up seats: blocks or warps */
struct corun_residency {   /* extra blocks of a kernel, on each SM */
    uint32_t extra_blocks; /* maximum of resident blocks beyond those with seats; 0: none */
    enum corun_unit unit;
    /* Resources occupied by an extra block; threads and block slot are shared with the others. */
    uint32_t registers, shared_bytes;
    uint32_t pool_bytes;   /* taken from free registers, shared memory and, with `l1`, L1 */
    /* Bytes moved when a unit gives up its seats, and again when the unit gets seats back. */
    uint32_t state_bytes;
    /* An extra block takes `own_registers` and `own_pool_bytes` instead where these are free; swaps
     * between blocks with registers of their own move `own_state_bytes`. own_registers 0: never. */
    uint32_t own_registers, own_pool_bytes, own_state_bytes;
    uint32_t bytes_per_cycle;
    /* Number of cycles after which a unit must give up its seats, in turn, while a unit without
     * seats could continue and no unit with seats waits; 0: never. */
    uint32_t quantum;
    bool l1;               /* L1 holds state: while the SM has extra blocks, L1 does no lookups */
    bool barriers;         /* warps that wait at a barrier give up their seats, too */
    bool pinned;           /* the oldest block keeps its seats and is the first to get seats */
    bool returned_first;   /* units that ran before get seats before units that have not run */
};

enum corun_rule {          /* order among apps of equal rank, applied until the next answer */
    CORUN_NO_RULE,         /* treated as one app */
    CORUN_ROTATE,          /* apps take turns */
    CORUN_LEAST_RATIO      /* first the app with the least issued in relation to its ready warps */
};

/* Competition for the memory pipeline of an SM, in the cycle that begins. */
struct corun_contest {
    uint32_t sm;
    uint32_t apps;         /* a bit for each app with a memory instruction that could issue */
    uint64_t issued[CORUN_APPS_MAX]; /* memory instructions issued on the SM so far */
    uint64_t last[CORUN_APPS_MAX];   /* cycle of the app's last memory instruction; 0: none */
};
struct corun_entries {     /* maximum of L1 entries that an app may occupy; 0: no maximum */
    uint32_t mshrs, missq;
};

struct corun_policy {
    /* Checked when a policy is loaded from a file; at the same place under every number. */
    uint32_t abi;          /* CORUN_POLICY_ABI */
    uint32_t size_bytes;   /* sizeof(struct corun_policy) */
    /* name: letters, digits and _ -, no section of the machine's options; policies of a run have
     * different names. source: paper and section. */
    const char *name, *sentence, *source;
    const struct corun_option *options;   /* NULL: none */
    const struct corun_policy_stat *stats; /* NULL: none */
    const struct corun_storage *storage; /* NULL: no statement */
    size_t state_bytes;    /* size of the state passed to every hook, up to CORUN_STATE_MAX */

    /* Called once before cycle 0. Returns NULL to accept the options, otherwise a sentence
     * describing the error. */
    const char *(*init)(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats);

    /* Returns the information required by the policy, bits of enum corun_need. For profiles and
     * curves, isolated runs are made before cycle 0, or taken from the cache, and
     * view->kernels[k].alone holds their figures; idempotence of blocks is recorded during the run.
     * NULL: nothing. */
    uint32_t (*needs)(const struct corun_value *values);

    /* Returns the sampling interval for view->count_reuse: one L1 set in N is monitored; with
     * several mechanisms the smallest N. Read after `init`. Absent, or 0: none. */
    uint32_t (*l1_reuse)(const void *state);

    /* group `instances`: divides the GPU into instances that share nothing: each has SMs, memory
     * partitions, crossbars and a dispatcher of its own, and physical memory in proportion to the
     * partitions. An instance with at most half of the partitions lies in one half of L2
     * (map.halves). Fills instance[], all 0 before the call, and of_app[app], the index of the
     * app's instance, the app's number before the call. Called once, after `init` with the setup of
     * the whole GPU. Then `init` is called again, with the setup of each instance with apps; all
     * other hooks of all policies are called for an instance at a time, with a view of the instance
     * alone: SMs, partitions and apps are renumbered from 0. Refused, with an error: more SMs or
     * partitions than the GPU has, an app in no instance, and policies that need isolated runs,
     * which have the whole GPU. Absent: the whole GPU. */
    void (*instances)(void *state, const struct corun_setup *setup,
                      struct corun_instance instance[CORUN_APPS_MAX], uint32_t *of_app);

    /* group `sets`: names sets of SMs for the policies of the option `inside` (CORUN_INSIDE). Fills
     * set[], all 0 before the call, and of_app[app], the index of the app's set, the app's number
     * before the call. Called once, after `init`, and only if `inside` names policies. These have
     * state and counters for each set; their `init` is called with the setup of a set, their other
     * hooks with a view of the set alone: SMs and apps are renumbered from 0, kernels are those of
     * the set's apps. Blocks of an app start on the SMs of the app's set only. All sets share L2,
     * crossbars and DRAM: counts of memory partitions are those of the set's apps, and
     * view->count_use has in `most` the set's share of the SMs and all of the memory. Refused, with
     * an error: sets that overlap or reach beyond the GPU, an app in no set, policies that need
     * isolated runs, and policies inside with the groups `instances`, `sets`, `holder`, `l2_ways`
     * or `dram_rank`, which decide for the whole GPU. Absent: one set of all SMs. */
    void (*sets)(void *state, const struct corun_setup *setup,
                 struct corun_sm_set set[CORUN_APPS_MAX], uint32_t *of_app);

    /* group `holder`: names the app that has the whole GPU, as in time slicing between processes.
     * Kernels of other apps start no blocks. If the answer differs from view->holder, the blocks of
     * all other apps leave, also those of kernels without pending blocks; when all have left, L1
     * and texture caches lose their lines as at a launch, the state of the named app returns, and
     * the app has the GPU. Sets *moved, CORUN_STATE_FULL before the call. An app that never had the
     * GPU has no state to return. Refused: an app that the run does not have, and a value not in
     * enum corun_state; nothing changes. Not to be joined with `residency`. Absent: all apps have
     * the GPU. Called whenever `admit` is, before `admit`; not while states move. */
    uint32_t (*holder)(void *state, const struct corun_view *view, enum corun_state *moved);

    /* group `admit`: selects the launched kernels that may have blocks on the GPU now. Fills
     * admit[kernel], all true before the call. Absent: all kernels. Called when a kernel is
     * launched, runs out of blocks or ends, and in the cycle of `timer`. After the end of a kernel
     * the call comes one cycle later, because the app's next kernel may have arrived by then. */
    void (*admit)(void *state, const struct corun_view *view, bool *admit);

    /* group `share`: sets the number of blocks of each kernel that each SM should hold. Fills
     * target[sm * kernel_n + kernel], all CORUN_TARGET_FULL before the call. Absent: as many blocks
     * as fit. Called whenever `admit` is, after `admit`. An SM with more resident blocks than the
     * target sheds blocks as `preempt` answers. A kernel without pending blocks needs no target:
     * its resident blocks run to their end. Refused: targets of kernels with pending blocks that
     * together exceed the capacity of an SM; targets are then met as far as blocks fit. */
    void (*share)(void *state, const struct corun_view *view, uint32_t *target);

    /* group `preempt`: decides how a block leaves an SM that has more blocks of the kernel than the
     * target. Called after `share` for each block in excess, the youngest first, and again after
     * every later `share` for excess blocks that are not yet leaving. Refused: CORUN_FLUSH of a
     * block that must not be restarted; the block drains. Absent: CORUN_DRAIN. */
    enum corun_preempt (*preempt)(void *state, const struct corun_view *view,
                                  const struct corun_block *block);

    /* group `residency`: sets the number of extra blocks of each kernel on an SM, i.e. resident
     * blocks beyond those with seats. Fills answer[kernel], all 0 before the call.
     *
     * When an SM can start no more blocks of its kernels, the SM takes extra blocks, up to the
     * given number and as far as registers and shared memory suffice for the resources in
     * `answer`, unless a kernel with a target on the SM waits for room. The units of a launch
     * (blocks or warps) then take turns on the launch's seats: a unit waiting for global or local
     * memory beyond L1 (with `barriers`, also at a barrier) gives its seats to a unit able to
     * continue. A block waits if all its warps wait, at a barrier or for memory. Each SM has a swap
     * unit, which moves the states of one pair of units at a time. An extra block gets seats of its
     * own when a block of its launch has ended. No extra blocks for cooperative launches, nor
     * on machines where blocks occupy contiguous ranges (sm.allocator). Refused: bytes_per_cycle of
     * 0, and a change of `unit` for a launch that has extra blocks; the previous answer stays in
     * force. Absent: none. Called whenever `share` is, after `share`. */
    void (*residency)(void *state, const struct corun_view *view, struct corun_residency *answer);

    /* group `quota`: sets the number of warp instructions that each kernel may issue on the SM per
     * round. Fills quota[kernel], all CORUN_NO_QUOTA before the call. A kernel with a used-up quota
     * issues nothing more on the SM until every kernel with a quota and a block on the SM has used
     * up its quota; then all quotas are refilled. A new quota takes effect at the next refill, a
     * kernel's first quota at once. Kernels of one app share the sum of their quotas. Refused: 0;
     * the quota is 1. Absent: no quotas. Called whenever the blocks on the SM have changed, in the
     * cycle of `timer`, and after CORUN_REQUESTS of the SM. */
    void (*quota)(void *state, const struct corun_view *view, uint32_t sm, uint32_t *quota);

    /* group `order`: sets the order in which the schedulers of an SM examine the kernels' warps.
     * Fills rank[kernel], all 0 before the call: the lowest rank goes first. Returns the rule for
     * kernels of equal rank, applied by each scheduler separately. CORUN_ROTATE: in order of apps,
     * starting with the app that has the turn; after each cycle in which a warp could have issued,
     * the turn passes to the next app with such a warp. CORUN_LEAST_RATIO: the least ratio since
     * cycle 0 of issued warp instructions to warps that could have issued, summed over cycles. The
     * warps of one kernel keep the scheduler's own order. An app has the lowest rank of its
     * kernels. Absent: ranks 0, no rule. Called whenever `quota` is. */
    enum corun_rule (*order)(void *state, const struct corun_view *view, uint32_t sm,
                             uint32_t *rank);

    /* group `limit`: sets the number of memory instructions that a kernel may have in flight on the
     * SM. Counts instructions for global and local memory: loads and atomics until their last
     * reply, stores until L1 has accepted them. Fills limit[kernel], all CORUN_NO_LIMIT before the
     * call. A warp held back does not block its scheduler. Kernels of one app share the sum of
     * their limits. Refused: 0; the limit is 1. Absent: no limits. Called whenever `quota` is. */
    void (*limit)(void *state, const struct corun_view *view, uint32_t sm, uint32_t *limit);

    /* group `arbiter`: returns the owner of an SM's memory pipeline in cycle view->now, an app of
     * contest->apps: the schedulers issue no memory instructions of other apps. Memory instructions
     * of an app at its limit do not take part. Refused: any other answer; the first app of the
     * contest is taken. Called before the SM's cycle view->now, if two or more apps have a memory
     * instruction ready to issue; therefore counts on the SM cover only earlier cycles. Absent: the
     * schedulers choose. */
    uint32_t (*arbiter)(void *state, const struct corun_view *view,
                        const struct corun_contest *contest);

    /* group `l1_lines`: sets the number of lines of each set of the SM's L1 that an app may have.
     * Fills ways[app], all 0 before the call; 0: no limit. An app with fewer lines takes a line
     * from an app with more lines than allowed; an app that has reached its number replaces a line
     * of its own. All apps hit in all lines. Absent: 0. Called whenever `quota` is. */
    void (*l1_lines)(void *state, const struct corun_view *view, uint32_t sm, uint32_t *ways);

    /* group `l1_entries`: sets the number of MSHR entries and miss queue entries of the SM's L1
     * that an app may have. Fills most[app], all 0 before the call. An access beyond the limit is
     * refused by L1, even if entries are free; merging with a miss of the same line takes no entry.
     * Absent: 0. Called whenever `quota` is. */
    void (*l1_entries)(void *state, const struct corun_view *view, uint32_t sm,
                       struct corun_entries *most);

    /* group `l2_ways`: sets the number of lines of each set that an app may have in the L2 slices
     * of a memory partition, in the manner of `l1_lines`. Fills ways[app], all 0 before the call.
     * Absent: 0. Called whenever `share` is, for each partition. */
    void (*l2_ways)(void *state, const struct corun_view *view, uint32_t partition,
                    uint32_t *ways);

    /* group `dram_rank`: sets the priorities of apps at a DRAM channel, among requests that wait
     * for a bank and miss the open row. Fills rank[app], all 0 before the call: the lowest rank
     * goes first. Among equal ranks the oldest request goes first or, if CORUN_ROTATE is returned,
     * a request of the app whose turn it is: in order of apps, starting after the app served in
     * the last turn. Refused: any other rule; no rule is taken. With an in-order channel
     * (dram.scheduler=fcfs) row hits have no priority. An answer takes effect after the channel's
     * fixed latency. Absent: ranks 0, no rule. Called whenever `l2_ways` is. */
    enum corun_rule (*dram_rank)(void *state, const struct corun_view *view, uint32_t partition,
                                 uint32_t *rank);

    /* group `watch`: receives events after they happened. Absent: no events are sent. */
    void (*watch)(void *state, const struct corun_view *view, const struct corun_event *event);
    uint32_t events;       /* events sent: bits 1 << enum corun_event_kind; 0: all */

    /* Returns the cycle in which to send CORUN_TIMER and to call the groups again. Read after the
     * other hooks were called; a cycle not after view->now means the next cycle. Refused, and
     * counted once: a timer that still returns the same cycle a thousand cycles later. (A hook
     * must advance the timer; if `watch` does, `events` must include CORUN_TIMER.) Absent:
     * CORUN_NEVER. */
    uint64_t (*timer)(const void *state);

    /* Returns the number of L1 accesses per event: each time the l1_accesses of an app on an SM
     * reach another multiple, CORUN_REQUESTS is sent and the groups of the SM are called; answers
     * apply from the next cycle on. Read after `init`. Absent, or 0: never. */
    uint64_t (*requests)(const void *state);

    /* Returns properties intended with these options: bits of enum corun_trait. NULL: none. */
    uint32_t (*traits)(const struct corun_value *values);

    /* For policies that measure first: returns the number of cycles after which, counted from the
     * moment the kernels run together, targets are final as long as the same kernels run. Cycles in
     * which an SM is still moving to its targets are not counted. `corun check` verifies the
     * number. NULL: no statement. */
    uint64_t (*decides_cycles)(const struct corun_value *values, const struct corun_view *view);
};

#include "corun/policy_help.h"

#endif
