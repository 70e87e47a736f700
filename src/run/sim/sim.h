/* Runs one simulation from cycle 0 to its end: alternates between the apps' host programs and the
 * GPU, restarts apps, applies the stop rule (until.def) and collects the results. Isolated runs
 * that a policy needs are made elsewhere and passed in (study/prepare.h). `batch` runs several
 * simulations; the result pages read struct sim. Writes dump files; prints nothing. */
#ifndef CORUN_SIM_H
#define CORUN_SIM_H

#include "gpu/board/board.h"
#include "run/input/gpu_file.h"
#include "run/input/input_set.h"
#include "run/sim/interval.h"
#include "run/sim/host_link.h"
#include "run/sim/lines.h"
#include "run/sim/part.h"
#include "run/sim/request.h"
#include "run/sim/sampling.h"
#include "run/sim/work_curve.h"
#include "run/input/mechanism.h"
#include "run/io/output.h"

#define CHOICE(id, word, sentence) id,
enum until {
#include "run/sim/until.def"
};
/* Default length of a --until window run; paper 000 section 2.3. */
enum { WINDOW_DEFAULT_CYCLES = 2000000 };
enum sim_status {
#include "run/sim/status.def"
};
#undef CHOICE
const char *until_name(enum until u);
const char *sim_status_name(enum sim_status s);

/* Observer of running simulations, for progress output. Follows one simulation at a time, even if
 * several run in threads. */
struct sim;
struct sim_watch {
    void (*tell)(struct sim_watch *w, const struct sim *s);
    u32 sim_n;                 /* simulations of the command, not counting cached runs */
    _Atomic u32 started, ended; /* simulations started and ended so far */
    _Atomic(const struct sim *) of; /* simulation that is reported until its end; NULL: none */
};

/* A pause: `reached` is called between two cycles once the GPU has issued at least `at` warp
 * instructions since cycle 0, and again before every advance until `at` is set to a later value.
 * The result of `reached` says whether the run continues. */
enum sim_step { STEP_ON, STEP_OVER, STEP_ERROR };
struct sim_pause {
    u64 at;
    enum sim_step (*reached)(void *of, struct sim *s, struct fail *fail);
    void *of;
};

/* Receives results while the simulation runs, in the simulation's thread. `begin` is called before
 * cycle 0, `interval` at the end of each interval. The interval that ended is the last in
 * sim.intervals; earlier intervals are no longer stored. */
struct sim_live {
    void (*begin)(struct sim_live *l, const struct sim *s);
    void (*interval)(struct sim_live *l, const struct sim *s);
    /* A launch has ended, or the run, with the launch at the GPU. Called only if the setup has
     * live_launches. */
    void (*launch)(struct sim_live *l, const struct sim *s, const struct app_part *launch);
    /* The host side of a CUDA program has answered a call, made in cycle `start`. NULL: not
     * called. */
    void (*call)(struct sim_live *l, u32 app_id, const char *call, u64 start, u64 end);
};

/* Range of launches, counted from 1 in each execution of an app, that are timed. All other launches
 * run functionally. */
struct launch_range {
    u64 first, last; /* last 0: all launches are timed */
};

enum { LAUNCHES_KEPT = 1000 };
enum { HOST_SECONDS = 60 }; /* default of sim_setup.host_seconds */
struct sim_setup {
    const struct gpu_file *gpu;
    const char *policy;        /* as written by the user */
    const char *const *apps;   /* APP arguments of the command line */
    u32 app_n;
    enum until until;
    u64 cycles;                /* cycle limit; 0: none */
    u64 instructions;          /* thread instructions of an app that count as completion; 0: none */
    u64 interval;              /* cycles between two snapshots; 0: no snapshots */
    u32 interval_most;         /* maximum number of intervals; at the limit, intervals become
                                * longer; even; 0: no limit */
    u64 seed;
    struct launch_range timed;
    u64 host_seconds;          /* maximum CPU seconds without a call from a CUDA program while work
                                * is queued; 0: unlimited */
    bool skip;
    bool memoize;              /* repeat functional launches: memo.h */
    struct cut cut;            /* parts of the GPU that apps have to themselves */
    bool curves;               /* record the progress of each app: see sim_app.curve */
    bool samples;              /* sample what the apps wait for: see sim_app.waits */
    bool lines;                /* count by instruction: see sim.lines */
    struct gpu_threads threads; /* of this simulation; n 0: 1 */
    u32 first_app;             /* number of the first app for random choices; not 0 in isolated
                                * runs */
    bool at_once;              /* all apps start at cycle 0; their own start cycles are ignored */
    bool dump;                 /* write the dumps of app files according to dump_rule */
    struct dump_rule dump_rule;
    int program_fd;            /* descriptor for output of CUDA programs; 0: see program_keep */
    bool program_keep;         /* keep the output in sim_app.written; false: see program_folder */
    const char *program_folder; /* write the output of each program to a new file in the folder;
                                 * NULL: drop the output */
    const char *program_label; /* part of the names of output files; if set, standard error is
                                * captured, too; NULL: none */
    enum app_folder app_folder; /* working folder of CUDA programs */
    struct ptx_arch program_ptx;  /* PTX architecture that CUDA programs use; number 0: compute
                                   * capability of the device */
    const struct output *outputs; /* files that the command will write */
    u32 output_n;
    const char *title;         /* name of the run, for the watch */
    struct sim_watch *watch;   /* NULL: no progress output */
    int (*interrupted)(void);  /* polled during the run; a result other than 0 ends the run. NULL:
                                * never interrupted */
    u64 work[APPS_MAX];        /* warp instructions of each app up to its end, for the watch; 0:
                                * unknown */
    struct printer *printer;   /* receives printf output of kernels, from the first execution of
                                * each app; NULL: dropped */
    const char *command;       /* the command line, for pages; NULL: not shown */
    struct gpu_sink *sink;     /* receives block events for the timeline; NULL: none */
    struct log_sink *log;      /* receives the log lines of policies; NULL: none */
    struct sim_live *live;     /* NULL: no live results, all intervals are kept */
    bool live_launches;        /* `live` receives launches */
    enum by by;                /* parts of the apps with results of their own */
    /* Set by code that runs simulations, not by the user: */
    const struct mechanisms *mechanisms;  /* `policy` in parsed form, owned by the caller; NULL:
                                           * parse `policy` */
    const struct gpu_mechanism *witness;  /* additional mechanism that only observes; NULL: none */
    struct hook_call *hook_call;                  /* watchdog record; NULL: none */
    bool strict;                          /* check that hooks do not modify the view, as in struct
                                           * gpu_setup */
    const struct gpu_fact *facts;         /* isolated-run figures of kernels, for the policies
                                           * before cycle 0 */
    u32 fact_n;
    u64 *counters;                        /* memory for the counters of a single mechanism; NULL:
                                           * allocated by the simulation */
    const struct sim_pause *pause;        /* NULL: no pause */
};

struct sim_kernel {
    const char *name, *title;  /* as in the PTX; as in C++, NULL in an isolated run of the cache */
    u32 block[3];
    u64 launches;
    struct gpu_occupancy fits;
    u64 cycles, warp_instructions, thread_instructions; /* see struct gpu_kernel */
    struct gpu_stat stats;     /* counters of stat_cycles cycles in which the kernel ran alone; only
                                * in runs with one app */
    u64 stat_cycles;
};

struct sim_app {
    const char *name;
    u64 start;                 /* cycle at which the host program starts */
    u64 cycles;                /* from `start` until the app completes or reaches its goal, or to
                                * the end of the run */
    u64 completions, launches;
    u64 functional;            /* number of launches that ran functionally, in no simulated time */
    u64 repeated;              /* of these, launches that were repeated, not executed: memo.h */
    u64 functional_ns;         /* time of functional launches on the app's clocks, in ns */
    struct gpu_stat stats;     /* counters over `cycles` */
    struct gpu_stat totals;    /* counters over the whole run */
    struct gpu_capacity capacity; /* capacity of the whole GPU over `cycles` */
    bool taken;                /* results are final: the app completed once or reached its
                                * instruction goal */
    struct work_curve *curve; /* progress of the app from cycle 0; only with sim_setup.curves, and
                               * in runs with one app */
    struct waits *waits;   /* samples over `cycles`; NULL: none were taken */
    int checked;               /* check of the app's results: 1 correct, 0 wrong, -1 unknown */
    const char *checked_why;
    bool own_process;          /* the app is a CUDA program; `checked` reflects the program's exit
                                * status */
    const char *output;        /* file with the program's output; NULL: none */
    bool output_renamed;       /* the default name was taken by another file */
    struct text written;       /* output of the program, if kept in memory */
    bool varies;               /* the program failed, or may behave differently in another run */
    u32 blocks_per_sm;
    struct requests *requests; /* NULL: the app is no stream of requests */
    const char *arrivals;      /* as in arrivals_show */
    double request_values[REQUEST_N]; /* valid if `requests` is set; NAN: undefined */
    struct delay_summary delays[DELAY_N]; /* of the whole run, in cycles */
    u32 kernel_n, kernel_room;
    struct sim_kernel *kernels;
    u64 *launched;             /* cycles of the first LAUNCHES_KEPT launches; kept only if
                                * setup.interval_most is set */
    u32 launched_n, launched_room;
    /* ---- state during the run ---- */
    bool begun;
    bool lost;                 /* the app's instance has failed, and the run goes on */
    struct memo *memo;         /* NULL: every functional launch is executed */
    u64 started;               /* launches in the current execution */
    u32 launches_on_gpu;       /* launches currently on the GPU */
    u32 last_kernel;           /* index of the most recently launched kernel */
    bool overlapped;           /* two launches of the app have overlapped since the app last had no
                                * launch on the GPU */
    struct gpu_stat attributed; /* counters up to cycle attributed_at, already attributed to kernels
                                 * or dropped */
    u64 attributed_at;
};

struct sim_fault {             /* error in the simulated machine */
    const char *what;          /* one sentence; NULL: no error */
    const char *app, *kernel, *file; /* "" if not known */
    u64 cycle, block, address;
    u32 sm, warp, lane, line, size_bytes;
    const char *detail;        /* message of a failed assertion, else "" */
    bool in_kernel, at_address; /* in_kernel: block, sm, warp, lane, line and size_bytes are valid;
                                 * at_address: `address` is valid */
    const char *dump;          /* additional lines, "" or ending in a newline */
};

struct sim {
    struct sim_setup own_setup;
    const struct sim_setup *setup; /* points to own_setup */
    struct mechanisms policy;
    bool borrowed;             /* the caller owns `policy` */
    u64 *policy_stats[MECHANISMS_MAX];
    struct user_policy *users; /* [mechanism] supervision of mechanisms from files; NULL: no
                                * mechanism is from a file */
    struct sim_lines {
        const char *lines;     /* the first of `n` */
        u64 n;
    } logs[MECHANISMS_MAX],    /* [mechanism] lines written by the mechanism */
      refused[MECHANISMS_MAX]; /* [mechanism] its refused answers with reasons, a line each */
    const char *refused_of[CLAIM_N]; /* [claim] first refusal, "": none */
    enum sim_status status;
    u64 cycles;
    u32 app_n;
    struct sim_app apps[APPS_MAX];
    struct gpu_stat unowned, stats; /* unowned: counters owned by no app; stats: sum of the apps'
                                     * totals and unowned */
    struct gpu_capacity capacity;   /* over `cycles` */
    u64 busy_cycles;                /* SM cycles with a block of any app */
    struct lines *lines;            /* counters by instruction; NULL: not counted */
    struct intervals intervals;
    struct sampling sampling;
    struct app_parts parts;
    struct warnings warnings;
    struct sim_fault fault;
    struct fail unwritten;     /* errors of dumps that could not be written */
    double loop_seconds;
    u64 functional_warp;       /* warp instructions executed functionally */
    double functional_seconds; /* host seconds of functional execution, not contained in
                                * loop_seconds */
    u64 input_hash[2];
    struct arena arena;

    /* ---- state during the run ---- */
    struct input_set inputs;
    struct board *machine;
    struct app *running[APPS_MAX];
    struct image *images[APPS_MAX];
    struct host_link links[APPS_MAX]; /* [instance of the GPU] */
    bool dumped[APPS_MAX];
    int program_files[APPS_MAX];    /* output descriptors of running CUDA programs, -1: none */
    u64 look_cycles;                /* maximum cycles until the next poll of interrupts and call of
                                     * the watch */
    u64 timed_before[APPS_MAX];     /* timed launches of the app before its current execution */
    struct launch_check { /* machine queries of an app, see app_new */
        struct app_machine machine;
        struct sim *sim;
    } launch_check[APPS_MAX];
    struct pool pool[APPS_MAX];     /* [part of the GPU] physical memory, if shared by its apps */
    struct printf_filter { /* passes on printf output of first executions only */
        struct printer printer;
        struct sim *sim;
        u32 app_id;
    } filters[APPS_MAX];
};

/* Checks that all outputs, including enabled dumps, can be written, and that none overwrites
 * another output or an input (app or machine file). Returns false with errors in `fail`. */
bool sim_outputs_check(const struct sim_setup *setup, struct input_set *in, struct fail *fail);
/* Makes `setup` fit for an internal run: no output, no watch, no user-specific settings. */
void sim_setup_quiet(struct sim_setup *setup);

/* Reads the apps and the policy, and checks the files to be written. Returns false with errors in
 * `fail`. Call sim_free in either case. Everything the setup points to must outlive `s`. */
bool sim_open(struct sim *s, const struct sim_setup *setup, struct fail *fail);
/* Replaces the policy of the setup by `spec`. Returns false with errors in `fail`. */
bool sim_set_policy(struct sim *s, const char *spec, struct fail *fail);
/* Runs the opened simulation. Returns false if the input is wrong, with errors in `fail`. */
bool sim_go(struct sim *s, struct fail *fail);
/* Continues from the current state to the end. Used by a pause that runs a forked copy of the
 * simulation. */
bool sim_continue(struct sim *s, struct fail *fail);
/* Calls sim_open and sim_go. */
bool sim_run(struct sim *s, const struct sim_setup *setup, struct fail *fail);
/* Gives the opened simulation the status SIM_POLICY_FAILED without running, because the policy
 * failed at `cycle` in an earlier attempt. */
void sim_give_up(struct sim *s, const char *why, u64 cycle);
void sim_free(struct sim *s);
/* Returns true if warning `w` reports a process change by a policy from a file. */
bool sim_policy_warned(const struct sim *s, const struct warning *w);

/* Returns for how many cycles an app of a running simulation has waited for its first block; 0: the
 * app has started a block, or has no launch at the GPU. */
u64 sim_newcomer_waits(const struct sim *s, u32 app_id);
/* Returns the fraction of a running simulation that is done, 0 to 1; 0: unknown. */
double sim_done(const struct sim *s);

#endif
