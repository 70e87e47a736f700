/* One simulation from cycle 0 to its end: the apps' host programs and the GPU in turn, restarts,
 * the three rules of when to stop, and what is kept of it. It runs no other: isolated runs that its
 * policy needs are handed in (study/prepare.h). `batch` runs several of them; the result pages read
 * struct sim. Writes dump files; prints nothing. */
#ifndef CORUN_SIM_H
#define CORUN_SIM_H

#include "gpu/gpu.h"
#include "run/input/gpu_file.h"
#include "run/input/input_set.h"
#include "run/sim/interval.h"
#include "run/input/mechanism.h"
#include "run/io/output.h"

#define CHOICE(id, word, sentence) id,
enum until {
#include "run/sim/until.def"
};
enum { WINDOW_DEFAULT_CYCLES = 2000000 }; /* default length of a window, paper 000 section 2.3 */
enum sim_status {
#include "run/sim/status.def"
};
#undef CHOICE
const char *until_name(enum until u);
const char *sim_status_name(enum sim_status s);

/* Told now and then of a simulation that runs, of one at a time though threads run several. */
struct sim;
struct sim_watch {
    void (*tell)(struct sim_watch *w, const struct sim *s);
    u32 sim_n;                 /* simulations of the command; what is cached is none */
    _Atomic u32 started, ended; /* of these */
    _Atomic(const struct sim *) of; /* the one that it is told of, until that ends; NULL: none */
};

/* Called between two cycles once the GPU has issued `at` warp instructions since cycle 0, and again
 * until it sets a later one. It says whether the run goes on. */
enum sim_step { STEP_ON, STEP_OVER, STEP_ERROR };
struct sim_pause {
    u64 at;
    enum sim_step (*reached)(void *of, struct sim *s, struct fail *fail);
    void *of;
};

/* Told of a run while it runs, in its thread: before cycle 0, and of each interval when it has
 * ended, the last of sim's. The intervals before are gone. */
struct sim_live {
    void (*begin)(struct sim_live *l, const struct sim *s);
    void (*interval)(struct sim_live *l, const struct sim *s);
};

/* Launches of each execution of an app, from 1, that are timed; the others run functionally. */
struct launch_range {
    u64 first, last; /* last 0: all are timed */
};

enum { HOST_SECONDS = 60 }; /* as most runs have it */
struct sim_setup {
    const struct gpu_file *gpu;
    const char *policy;        /* as the user wrote it */
    const char *const *apps;   /* APP arguments */
    u32 app_n;
    enum until until;
    u64 cycles;                /* 0: no limit */
    u64 instructions;          /* thread instructions that count as completion; 0: none */
    u64 interval;              /* cycles between two snapshots; 0: none */
    u32 interval_most;         /* so many at most: they become longer; even; 0: no end */
    u64 seed;
    struct launch_range timed;
    u64 host_seconds;          /* that a CUDA program may make no call; 0: for ever */
    bool skip;
    bool at_once;              /* all apps begin at cycle 0, whatever they say */
    bool dump;                 /* app files' dumps are written, by this rule */
    struct dump_rule dump_rule;
    int program_fd;            /* what CUDA programs write goes there; 0: */
    bool program_keep;         /* to sim_app.written; false: */
    const char *program_folder; /* to a new file for each in it; NULL: dropped */
    const char *program_label; /* in the files' names; standard error goes there, too; NULL: none */
    enum app_place program_place; /* where they work */
    struct ptx_arch program_ptx;  /* that they take; number 0: as their device has it */
    const struct output *outputs; /* what the command will write */
    u32 output_n;
    const char *title;         /* for the watch: what this run is */
    struct sim_watch *watch;   /* NULL: nobody */
    int (*interrupted)(void);  /* asked now and then; not 0: it ends. NULL: never */
    u64 work[APPS_MAX];        /* for the watch: warp instructions up to an app's end; 0: unknown */
    struct printer *printer;   /* the kernels' printf, first execution of each app; NULL: dropped */
    struct gpu_sink *sink;     /* NULL: none */
    struct sim_live *live;     /* NULL: nobody; the intervals are kept */
    /* by what runs simulations: */
    const struct mechanisms *mechanisms;  /* `policy` as parsed, the caller's; NULL: parse it */
    const struct gpu_mechanism *witness;  /* one more, which only watches; NULL: none */
    struct asked *asked;                  /* NULL: nobody wants to know */
    bool strict;                          /* as in struct gpu_setup */
    const struct gpu_fact *facts;         /* what its policies know of kernels before cycle 0 */
    u32 fact_n;
    u64 *counters;                        /* of its only mechanism; NULL: the simulation's own */
    const struct sim_pause *pause;        /* NULL: none */
};

struct sim_kernel {
    const char *name;
    u32 block[3];
    u64 launches;
    struct gpu_occupancy fits;
    u64 cycles, warp_instructions, thread_instructions; /* see struct gpu_kernel */
    struct gpu_stat stats;     /* of an app alone, in stat_cycles, while nothing else of it ran */
    u64 stat_cycles;
};

struct sim_app {
    const char *name;
    u64 start;                 /* cycle at which its host program begins */
    u64 cycles;                /* from then until it completed, or to the end of the run */
    u64 completions, launches;
    u64 functional;            /* of the launches, in no simulated time, */
    u64 functional_ns;         /* and their time on the app's clocks */
    struct gpu_stat stats;     /* over `cycles`: of an app that is taken up to then */
    struct gpu_stat totals;    /* over the whole run */
    struct gpu_capacity capacity; /* of the whole GPU over `cycles` */
    bool taken;                /* its numbers are those of its first completion or its goal */
    int checked;               /* 1 right, 0 wrong, -1 unknown */
    const char *checked_why;
    bool own_process;          /* a program: what is checked is its exit status */
    const char *output;        /* the file that a program wrote to; NULL: none */
    bool output_renamed;       /* another file had that file's first name */
    struct text written;       /* what a program wrote, where that is kept */
    bool varies;               /* it has failed, or another run may be another */
    u32 blocks_per_sm;
    u32 kernel_n, kernel_room;
    struct sim_kernel *kernels;
    /* ---- while it runs ---- */
    bool begun;
    u64 started;               /* launches of this execution */
    u32 launches_on_gpu;       /* now */
    u32 last_kernel;           /* index of the kernel launched last */
    bool overlapped;           /* two launches were on the GPU at once since there was none */
    struct gpu_stat attributed; /* counts up to cycle attributed_at, given to kernels or dropped */
    u64 attributed_at;
};

struct sim_fault {             /* what went wrong in the simulated machine */
    const char *what;          /* one sentence; NULL: nothing */
    const char *app, *kernel, *file; /* "" where it has none */
    u64 block, address;
    u32 sm, warp, lane, line, size_bytes;
    const char *detail;        /* what a failed assertion says, else "" */
    bool in_kernel, at_address; /* the fields from kernel on, and address, mean something */
    const char *dump;          /* more lines, "" or ending in a newline */
};

struct sim {
    struct sim_setup own_setup;
    const struct sim_setup *setup; /* own_setup */
    struct mechanisms policy;
    bool borrowed;             /* `policy` is the caller's */
    u64 *policy_stats[MECHANISMS_MAX];
    struct user_policy *users; /* [mechanism], of those from files; NULL: none is */
    struct sim_log {
        const char *lines;     /* what it wrote, the first of `n` */
        u64 n;
    } logs[MECHANISMS_MAX];
    u64 refusals;
    const char *refused;       /* the first of them and why, a line each; */
    const char *refused_of[CLAIM_N]; /* the first of each claim, "": none */
    enum sim_status status;
    u64 cycles;
    u32 app_n;
    struct sim_app apps[APPS_MAX];
    struct gpu_stat unowned, stats; /* stats: the apps' totals + unowned */
    struct gpu_capacity capacity;   /* over `cycles` */
    struct intervals intervals;
    struct warnings warnings;
    struct sim_fault fault;
    struct fail unwritten;     /* dumps that could not be written */
    double loop_seconds;
    u64 functional_warp;       /* warp instructions that ran functionally, and */
    double functional_seconds; /* how long they took, of loop_seconds no part */
    u64 input_hash[2];
    struct arena arena;

    /* ---- while it runs ---- */
    struct input_set inputs;
    struct gpu *machine;
    struct app *running[APPS_MAX];
    struct image *images[APPS_MAX];
    bool dumped[APPS_MAX];
    int program_files[APPS_MAX];    /* of apps that run, -1: none */
    u64 look_cycles;                /* up to the next look at interrupts, at most */
    u64 timed_before[APPS_MAX];     /* launches that were timed, when the app's execution began */
    struct launch_check { /* what app_new asks the gpu */
        struct app_machine machine;
        struct sim *sim;
    } launch_check;
    struct pool pool;               /* physical memory, if the apps share it */
    struct printf_filter { /* lets first executions print */
        struct printer printer;
        struct sim *sim;
        u32 app_id;
    } filters[APPS_MAX];
};

/* Whether the outputs, and the dumps that are written, can be written, none in the place of another
 * or of what is read: the apps and the machine. */
bool sim_outputs_check(const struct sim_setup *setup, struct input_set *in, struct fail *fail);
/* A setup for runs that are not the user's own: nothing is written or told. */
void sim_setup_quiet(struct sim_setup *setup);

/* Reads the apps and the policy, and looks at the files that will be written; false: errors in
 * `fail`. Free it in either case. What the setup points to must outlive it. */
bool sim_open(struct sim *s, const struct sim_setup *setup, struct fail *fail);
/* Another policy in place of the setup's; false: errors in `fail`. */
bool sim_set_policy(struct sim *s, const char *spec, struct fail *fail);
/* The simulation of what was opened; false: the input is wrong, errors in `fail`. */
bool sim_go(struct sim *s, struct fail *fail);
/* From where it stands to its end, for a pause that runs a copy of it in a process of its own. */
bool sim_continue(struct sim *s, struct fail *fail);
bool sim_run(struct sim *s, const struct sim_setup *setup, struct fail *fail); /* both */
/* What was opened is not simulated: its policy failed in an earlier try, in this cycle. */
void sim_give_up(struct sim *s, const char *why, u64 cycle);
void sim_free(struct sim *s);
/* Whether the warning is of what a policy from a file did to the process. */
bool sim_policy_warned(const struct sim *s, const struct warning *w);

/* While it runs, the part of it that is done, 0 to 1; 0: not known. */
double sim_done(const struct sim *s);

#endif
