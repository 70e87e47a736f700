#include "run/input/input_set.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/tree.h"
#include "run/cuda/program.h"
#include "run/io/asset.h"
#include "run/io/file.h"
#include "run/input/gpu_file.h"

#define WORKLOAD(name) extern const struct workload workload_##name;
#define WRITTEN WORKLOAD
#include "workloads/list.def"
#undef WORKLOAD
#undef WRITTEN
extern const struct workload workload_clones[];
extern const u32 workload_clone_n;

static const struct {
    const struct workload *workload;
    const char *ptx; /* path among the assets; NULL: the workload generates its PTX */
} shipped[] = {
#define WORKLOAD(name) {&workload_##name, "workloads/" #name "/kernel.ptx"},
#define WRITTEN(name) {&workload_##name, NULL},
#include "workloads/list.def"
#undef WORKLOAD
#undef WRITTEN
};

static u32 shipped_at(const char *name)
{
    u32 i = 0;
    while (workload_shipped(i) && strcmp(workload_shipped(i)->name, name)) i++;
    return i;
}

/* Programs first, then stand-ins. */
const struct workload *workload_shipped(u32 index)
{
    if (index < COUNT_OF(shipped)) return shipped[index].workload;
    index -= (u32)COUNT_OF(shipped);
    return index < workload_clone_n ? &workload_clones[index] : NULL;
}

const struct workload *workload_find(const char *name)
{
    return workload_shipped(shipped_at(name));
}

const struct source *workload_text(const struct workload *w, struct arena *arena)
{
    const char *path = w->write ? w->preset : shipped[shipped_at(w->name)].ptx;
    if (!path) return NULL;
    struct source *text = arena_new(arena, struct source);
    bool found = asset_find(path, text);
    check(found);
    return text;
}

static struct source *argument_source(struct input_set *s, const char *argument)
{
    struct source *source = arena_new(&s->arena, struct source);
    size_t n = strlen(argument);
    *source = (struct source){COMMAND_LINE, arena_text(&s->arena, argument, n), n};
    return source;
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), e = strlen(end);
    return n > e && !strcmp(name + n - e, end);
}

/* True for an ELF executable, or an executable script with an interpreter line. */
static bool is_program(const char *path)
{
    char head[4] = {0};
    FILE *f = access(path, X_OK) ? NULL : fopen(path, "re");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f) fclose(f);
    return n == sizeof head && (!memcmp(head, "\x7f" "ELF", 4) || !memcmp(head, "#!", 2));
}

/* Explains in `note` how to run a file that is no app file. false: unknown kind of file. */
static bool runs_otherwise(const char *path, struct text *note)
{
    struct stat st;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return false;
    if (ends_in(path, ".cu")) {
        int n = (int)strlen(name) - (int)strlen(".cu");
        text_add(note, "compile the file: corun cc %s -o %.*s; then give the program as "
                 "'cuda:./%.*s'",
                 path, n, name, n, name);
    } else if (ends_in(path, ".ptx")) {
        text_add(note, "write an app file with module: %s and the launches", path);
    } else if (is_program(path)) {
        text_add(note, "give a program as 'cuda:%s%s'", name == path ? "./" : "", path);
    }
    return note->size;
}

static struct app_input *open_workload(struct input_set *s, const char *argument,
                                       const struct input_rules *rules, struct fail *fail)
{
    struct source *spec = argument_source(s, argument);
    const char *name = arena_text(&s->arena, argument, strcspn(argument, ":"));
    const struct workload *w = workload_find(name);
    if (!w) {
        struct nearest nearest;
        nearest_init(&nearest, name);
        for (u32 i = 0; workload_shipped(i); i++)
            nearest_offer(&nearest, workload_shipped(i)->name);
        fail_at(fail, spec, 0, "unknown workload '%s'", name);
        struct text note = {0};
        if (runs_otherwise(argument, &note)) {
            fail_note(fail, "%s", note.bytes);
        } else {
            fail_nearest(fail, &nearest);
            fail_note(fail, "give a shipped workload (corun list workloads), or an app file, "
                      "./FILE.yaml");
        }
        text_free(&note);
        return NULL;
    }
    return input_workload(w, workload_text(w, &s->arena), spec, &s->files.loader, rules, fail);
}

static struct app_input *open_file(struct input_set *s, const char *argument,
                                   const struct input_rules *rules, struct fail *fail)
{
    struct text note = {0};
    if (runs_otherwise(argument, &note)) {
        fail_at(fail, argument_source(s, argument), 0, "%s is not an app file", argument);
        fail_note(fail, "%s", note.bytes);
        text_free(&note);
        return NULL;
    }
    const struct source *file = file_set_open(&s->files, argument, fail);
    return file ? input_file(file, &s->files.loader, rules, fail) : NULL;
}

/* True if an app brings the name with it, or an app before `app` has got the name. */
static bool is_name(const struct input_set *s, u32 app, const char *name)
{
    bool is = false;
    for (u32 i = 0; i < s->n; i++) is |= !strcmp(input_name(s->inputs[i]), name);
    for (u32 i = 0; i < app; i++) is |= !strcmp(s->names[i], name);
    return is;
}

/* Gives an app its unique name. Apps of equal name become NAME, NAME.2, NAME.3 in app order, except
 * for names that other apps bring with them. The first app called `gpu` is gpu.2, because results
 * list the whole GPU under the name. */
static void name_app(struct input_set *s, u32 app)
{
    const char *name = input_name(s->inputs[app]);
    s->copies[app] = 1;
    for (u32 i = 0; i < app; i++) s->copies[app] += !strcmp(input_name(s->inputs[i]), name);
    struct text t = {0};
    text_add(&t, "%s", name);
    bool is_free = s->copies[app] == 1 && strcmp(name, "gpu");
    for (u32 number = 2; !is_free; number++) {
        t.size = strlen(name);
        text_add(&t, ".%u", number);
        is_free = !is_name(s, app, t.bytes);
    }
    s->names[app] = arena_text(&s->arena, t.bytes, t.size);
    text_free(&t);
}

bool input_set_open(struct input_set *s, const char *const *apps, u32 n,
                    const struct input_rules *rules, struct fail *fail)
{
    u32 before = fail->error_n;
    *s = (struct input_set){0};
    file_set_init(&s->files);
    s->files.loader.program = program_read;
    arena_init(&s->arena);
    check(n <= CORUN_APPS_MAX);
    for (u32 i = 0; i < n; i++) {
        struct app_input *in =
            names_program(apps[i]) ? input_program(argument_source(s, apps[i]), rules, fail)
            : names_file(apps[i])  ? open_file(s, apps[i], rules, fail)
                                   : open_workload(s, apps[i], rules, fail);
        if (!in) continue;
        s->inputs[s->n++] = in;
    }
    for (u32 i = 0; i < s->n; i++) name_app(s, i);
    return fail->error_n == before;
}

void input_set_choose_ptx(struct input_set *s, struct ptx_arch arch)
{
    for (u32 i = 0; i < s->n; i++) program_choose_ptx(s->inputs[i], arch);
}

/* True if an app file has the key `program`. Does not read pipes and devices, because their
 * contents can be read only once. */
static bool file_has_program(const char *path)
{
    struct stat s;
    struct fail fail = {0};
    struct arena arena;
    struct file_set files;
    bool has = false;
    if (stat(path, &s) || !S_ISREG(s.st_mode)) return false;
    arena_init(&arena);
    file_set_init(&files);
    const struct source *file = file_set_open(&files, path, &fail);
    const struct node *root = file ? tree_parse(file, &arena, &fail) : NULL;
    if (root && root->kind == NODE_MAP)
        for (const struct node *key = root->first; key; key = key->next)
            has |= !strcmp(key->text, "program");
    arena_free(&arena);
    file_set_free(&files);
    text_free(&fail.text);
    return has;
}

bool apps_have_program(const char *const *apps, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (names_program(apps[i]) || (names_file(apps[i]) && file_has_program(apps[i])))
            return true;
    return false;
}

const char *gpu_for_apps(const char *const *apps, u32 n)
{
    return apps_have_program(apps, n) ? GPU_DEFAULT_CUDA : GPU_DEFAULT;
}

void input_set_dump(struct input_set *s, u32 app, u32 dump, const struct dump_rule *rule,
                    struct output *out)
{
    struct input_dump d;
    struct text path = {0}, what = {0};
    input_dump(s->inputs[app], dump, &d);
    if (!rule->folder) file_beside(d.at->name, d.path, &path);
    else if (d.path[0] == '/') text_add(&path, "%s", d.path);
    else text_add(&path, "%s/%s", rule->folder, d.path);
    if (s->copies[app] > 1) text_add(&path, ".%u", s->copies[app]);
    text_add(&what, "the dump of %s of %s", d.name, s->names[app]);
    *out = (struct output){arena_text(&s->arena, what.bytes, what.size),
                           arena_text(&s->arena, path.bytes, path.size), *d.at, d.offset};
    text_free(&path);
    text_free(&what);
}

bool dump_check(const struct output *dump, const struct dump_rule *rule, struct fail *fail)
{
    struct text folder = {0};
    if (rule->folder) text_add(&folder, "%s", rule->folder);
    else file_folder(dump->at.name, &folder);
    bool ok = rule->outside || file_is_below(dump->path, folder.bytes);
    if (!ok) {
        fail_at(fail, &dump->at, dump->offset, "%s would be written outside of the folder %s",
                dump->what, folder.bytes);
        fail_note(fail, "--dump-to DIR chooses the folder of dumps; --allow-outside permits any "
                  "folder");
    }
    text_free(&folder);
    return ok;
}

void input_set_free(struct input_set *s)
{
    for (u32 i = 0; i < s->n; i++) input_free(s->inputs[i]);
    arena_free(&s->arena);
    file_set_free(&s->files);
    *s = (struct input_set){0};
}
