/* The apps of a run as named on the command line: shipped workloads with their parameters, or app
 * files; with the texts they are made of. One simulation owns one set. */
#ifndef CORUN_INPUT_SET_H
#define CORUN_INPUT_SET_H

#include "corun/policy.h"
#include "host/input.h"
#include "run/cuda/fat.h"
#include "run/io/file.h"
#include "run/io/output.h"

struct input_set {
    struct file_set files;
    struct arena arena;
    u32 n;
    struct app_input *inputs[CORUN_APPS_MAX];
    const char *names[CORUN_APPS_MAX]; /* a second copy is NAME.2 */
    u32 copies[CORUN_APPS_MAX];        /* 1 for the first of its name */
};

/* false with errors, each with its place. Free it in either case. */
bool input_set_open(struct input_set *s, const char *const *apps, u32 n, u64 seed,
                    struct fail *fail);
void input_set_free(struct input_set *s);
/* The CUDA programs among them take this PTX, unless their app files name one. */
void input_set_choose_ptx(struct input_set *s, struct ptx_arch arch);

/* App files may come from others: their dumps go to the folder of the app file, or to one that the
 * user names, and below; anywhere else only if the user says so. */
struct dump_rule {
    const char *folder; /* NULL: the app file's */
    bool outside;       /* of it, too */
};
/* Where a dump of an app goes, which of a second copy is PATH.2. */
void input_set_dump(struct input_set *s, u32 app, u32 dump, const struct dump_rule *rule,
                    struct output *out);
/* false: it would go elsewhere than the rule has it; an error where its path stands. */
bool dump_check(const struct output *dump, const struct dump_rule *rule, struct fail *fail);

/* True if one of the apps is a CUDA program, also one of an app file. What is wrong with a file is
 * told where the file is opened as an app. */
bool apps_have_program(const char *const *apps, u32 n);
/* The machine for apps where the user names none. */
const char *gpu_for_apps(const char *const *apps, u32 n);

/* Workloads of workloads/list.def in order, then the stand-ins of workloads/clones/list.def; NULL
 * past the end. */
const struct workload *workload_shipped(u32 index);
const struct workload *workload_find(const char *name); /* NULL: none */
/* Its PTX, or where it writes that itself, its preset; NULL: it has neither. */
const struct source *workload_text(const struct workload *w, struct arena *arena);

#endif
