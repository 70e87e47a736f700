#include "cli/cc/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/jobs/interrupt.h"
#include "run/jobs/spawn.h"

enum { ARGUMENTS_MAX = 2048 };
/* clang 14 and 15 drop `insertvalue poison, undef`, which makes the padding of a returned struct
 * poison. If members and padding are copied as one integer, the members are poison, too, and the
 * caller's code is optimized away. No option disables the transformation. */
enum { CLANG_RIGHT = 16, CLANG_LAST = 30 }; /* versions searched by name */

struct line { /* texts are freed after the run */
    const char *at[ARGUMENTS_MAX + 1];
    u32 n;
    struct text room[ARGUMENTS_MAX];
    u32 room_n;
};

void line_add(struct line *l, const char *argument)
{
    if (l->n < ARGUMENTS_MAX) l->at[l->n++] = argument;
}

void line_add_all(struct line *l, const char *const *arguments)
{
    for (; *arguments; arguments++) line_add(l, *arguments);
}

void line_add_text(struct line *l, const char *format, ...)
{
    if (l->room_n == ARGUMENTS_MAX) return;
    struct text *t = &l->room[l->room_n++];
    va_list args;
    va_start(args, format);
    text_addv(t, format, args);
    va_end(args);
    line_add(l, t->bytes);
}

/* Adds the options of `with`; n bytes of `value` replace %s. */
static void add_with(struct line *l, const char *with, const char *value, size_t n)
{
    for (const char *at = with; *at;) {
        size_t length = strcspn(at, " ");
        const char *here = memmem(at, length, "%s", 2);
        size_t before = here ? (size_t)(here - at) : length;
        size_t behind = here ? length - before - 2 : 0;
        line_add_text(l, "%.*s%.*s%.*s", (int)before, at, here ? (int)n : 0, value, (int)behind,
                      at + length - behind);
        at += length + (at[length] == ' ');
    }
}

/* Adds the options of `with` for each part of a list: "-Wall,-fopenmp" or "-Wall -fopenmp". A
 * backslash precedes a comma inside a part. */
static void add_list(struct line *l, const char *with, const char *list)
{
    struct text part = {0};
    for (const char *at = list;; at++) {
        bool escaped = at[0] == '\\' && at[1] == ',';
        at += escaped;
        if (*at && (escaped || !strchr(", ", *at))) {
            text_put(&part, at, 1);
        } else {
            if (part.size) add_with(l, with, part.bytes, part.size);
            part.size = 0;
            if (!*at) break;
        }
    }
    text_free(&part);
}

void line_add_given(struct line *l, const struct nvcc_given *given)
{
    const struct nvcc_row *row = given->row;
    if (row->form == FORM_LIST) add_list(l, row->with, given->value);
    else add_with(l, row->with, given->value, strlen(given->value));
}

/* NVIDIA headers without a counterpart in corun: prefix of the name, and the library. */
static const struct {
    const char *name, *what;
} lacking[] = {
    {"cub/", "CUB: add -I with the folder of CUB's headers"},
    {"thrust/", "Thrust: add -I with the folder of Thrust's headers"},
    {"cuda/", "libcu++: add -I with the folder of libcu++'s headers"},
    {"cublasXt", "cuBLASXt"}, {"cufftw", "cuFFTW"},
    {"curand", "cuRAND beyond curand.h and curand_kernel.h"},
    {"cusolver", "cuSOLVER beyond cusolverDn.h"}, {"cudnn", "cuDNN"}, {"npp", "NPP"},
    {"nvrtc", "run-time compilation"},
    {"cudaGL", "graphics"}, {"cuda_gl_interop", "graphics"},
};

static void note_lacking(const char *said, struct fail *fail)
{
    static const char before[] = "fatal error: '";
    const char *at = strstr(said, before);
    if (strstr(said, "dynamic_stackalloc"))
        fail_note(fail, "this clang cannot compile alloca for GPUs: use an array of constant "
                  "length, or compile with nvcc");
    if (strstr(said, "reference to __global__ function"))
        fail_note(fail, "corun has no launches from kernels");
    if (!at) return;
    at += strlen(before);
    for (u32 i = 0; i < COUNT_OF(lacking); i++)
        if (!strncmp(at, lacking[i].name, strlen(lacking[i].name)))
            fail_note(fail, "corun cc does not provide %s", lacking[i].what);
}

/* Prints a command line, quoted for a shell. */
static void show(const struct line *l, struct text *out)
{
    for (u32 i = 0; i < l->n; i++) {
        if (i) text_add(out, " ");
        text_quote(out, l->at[i]);
    }
    text_add(out, "\n");
}

static int clang_run(struct clang *clang, struct line *l)
{
    struct text out = {0}, why = {0};
    struct fail *fail = &clang->c->fail;
    int status = l->n < ARGUMENTS_MAX ? spawn_wait(l->at, NULL, &out, &why) : -2;
    if (status == -2) fail_plain(fail, "more than %d arguments for clang", ARGUMENTS_MAX - 1);
    text_put(&fail->text, text_get(&why), why.size);
    if (status == -1) {
        text_add(&fail->text, "\n");
        fail_plain(fail, "corun cc needs clang, but cannot run clang");
        fail_note(fail, "install clang (apt install clang-16), or name a clang of version 14 or "
                  "later in CORUN_CLANG");
    } else if (status > 0) {
        fail_plain(fail, "clang ended with status %d", status);
        note_lacking(text_get(&why), fail);
    }
    text_free(&out);
    text_free(&why);
    return status;
}

/* Replaces -fopenmp. */
static void make_serial(struct line *l)
{
    for (u32 i = 0; i < l->n; i++)
        if (!strcmp(l->at[i], "-fopenmp")) l->at[i] = "-Wno-source-uses-openmp";
}

bool line_run(struct clang *clang, struct line *l)
{
    if (clang->serial) make_serial(l);
    l->at[l->n] = NULL;
    if (clang->shown || clang->dry) show(l, &clang->c->fail.text);
    int status = clang->dry ? 0 : clang_run(clang, l);
    for (u32 i = 0; i < l->room_n; i++) text_free(&l->room[i]);
    free(l);
    return !status && !interrupt_came();
}

struct line *line_new(const struct clang *clang, bool cxx)
{
    struct line *l = calloc(1, sizeof *l);
    check(l);
    line_add(l, clang->name.bytes);
    if (cxx) line_add(l, "--driver-mode=g++");
    return l;
}

/* ---- which clang ---- */

/* Returns clang's major version; 0 without such a program or an answer. */
static u32 clang_version(const char *name)
{
    struct text out = {0}, why = {0};
    const char *const line[] = {name, "-dumpversion", NULL};
    bool said = !spawn_wait(line, NULL, &out, &why);
    u32 version = said ? (u32)strtoul(text_get(&out), NULL, 10) : 0;
    text_free(&out);
    text_free(&why);
    return version;
}

static void clang_name(struct clang *clang, const char *name)
{
    text_free(&clang->name);
    text_add(&clang->name, "%s", name);
}

void clang_choose(struct clang *clang)
{
    const char *given = getenv("CORUN_CLANG");
    bool free_choice = !given || !given[0];
    clang_name(clang, free_choice ? "clang" : given);
    u32 version = clang_version(clang->name.bytes);
    for (u32 i = CLANG_RIGHT; free_choice && version < CLANG_RIGHT && i <= CLANG_LAST; i++) {
        char name[16];
        snprintf(name, sizeof name, "clang-%u", i);
        if (clang_version(name) < CLANG_RIGHT) continue;
        clang_name(clang, name);
        version = i;
    }
    clang->version = version;
    if (version && version < CLANG_RIGHT)
        text_add(&clang->c->fail.text, "warning: clang %u gives wrong results where a function "
                 "returns a struct with padding; apt install clang-%d\n", version, CLANG_RIGHT);
}

/* ---- OpenMP ---- */

/* True if clang links with its OpenMP library: clang then knows the whole path. */
static bool has_openmp(const struct clang *clang)
{
    struct text out = {0}, why = {0};
    const char *const line[] = {clang->name.bytes, "-print-file-name=libomp.so", NULL};
    bool found = spawn_wait(line, NULL, &out, &why) || strcmp(text_get(&out), "libomp.so\n");
    text_free(&out);
    text_free(&why);
    return found;
}

/* True for -fopenmp, and for -Xcompiler with -fopenmp in the list. */
static bool is_openmp(const struct nvcc_given *given)
{
    static const char flag[] = "-fopenmp";
    const char *text = given->row->form == FORM_LIST ? given->value : given->row->with;
    for (const char *at = text; (at = strstr(at, flag)); at += strlen(flag))
        if ((at == text || strchr(", ", at[-1])) && strchr(", ", at[strlen(flag)])) return true;
    return false;
}

void clang_check_openmp(struct clang *clang, const struct nvcc *o)
{
    bool given = false;
    for (u32 i = 0; i < o->n && !given; i++)
        given = o->at[i].row->effect == CC_HOST_LINK && is_openmp(&o->at[i]);
    if (!given || !clang->version || has_openmp(clang)) return;
    clang->serial = true;
    text_add(&clang->c->fail.text, "warning: -fopenmp is ignored, host code runs in one thread: "
             "clang's OpenMP library is not installed (apt install libomp-%u-dev)\n",
             clang->version);
}
