/* The apps of a run as named on the command line (shipped workloads with parameters, app files,
 * CUDA programs), with all texts read for the apps. Each simulation owns a set. */
#ifndef CORUN_INPUT_SET_H
#define CORUN_INPUT_SET_H

#include "corun/policy.h"
#include "host/input.h"
#include "run/cuda/fat.h"
#include "run/input/file_set.h"
#include "run/io/output.h"

struct input_set {
    struct file_set files;
    struct arena arena;
    u32 n;
    struct app_input *inputs[CORUN_APPS_MAX];
    const char *names[CORUN_APPS_MAX]; /* unique: the second app called NAME is NAME.2 */
    u32 copies[CORUN_APPS_MAX];        /* number among the apps of equal name, from 1 */
};

/* Opens n apps. false: errors in `fail`, with source locations. The caller calls input_set_free in
 * either case. */
bool input_set_open(struct input_set *s, const char *const *apps, u32 n,
                    const struct input_rules *rules, struct fail *fail);
void input_set_free(struct input_set *s);
/* Selects PTX of this architecture for all CUDA programs, unless their app files name an
 * architecture. */
void input_set_choose_ptx(struct input_set *s, struct ptx_arch arch);

/* Where dumps of app files may be written. App files may come from untrusted sources: a dump must
 * be below the app file's folder, or below a folder named by the user, unless the user permits any
 * location. */
struct dump_rule {
    const char *folder; /* NULL: the folder of the app file */
    bool outside;       /* dumps may also be written outside the folder */
};
/* Stores in `out` where a dump of an app is written; PATH.2 for the second app of equal name. */
void input_set_dump(struct input_set *s, u32 app, u32 dump, const struct dump_rule *rule,
                    struct output *out);
/* Checks a dump against the rule. false: an error was added at the location of the dump's path. */
bool dump_check(const struct output *dump, const struct dump_rule *rule, struct fail *fail);

/* True if an app is a CUDA program, directly or through an app file. Ignores errors of app files:
 * input_set_open reports them. */
bool apps_have_program(const char *const *apps, u32 n);
/* Returns the name of the default machine for these apps. */
const char *gpu_for_apps(const char *const *apps, u32 n);

/* Returns a workload of workloads/list.def by index, then the stand-ins of
 * workloads/clones/list.def; NULL past the end. */
const struct workload *workload_shipped(u32 index);
const struct workload *workload_find(const char *name); /* NULL: not found */
/* Returns the workload's PTX, or the preset of a workload that generates its PTX. NULL: a
 * generating workload without preset. */
const struct source *workload_text(const struct workload *w, struct arena *arena);

#endif
