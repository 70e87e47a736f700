/* corun cc: compiles CUDA C++ with clang in two passes: device code to PTX, packed into a fat
 * binary, then host code with the fat binary inside. Links with corun's own run-time library. clang
 * compiles into a temporary folder. PTX, objects and the program are copied from the folder only
 * when all files read by clang are known: no output can then overwrite an input. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/command.h"
#include "run/cuda/fat.h"
#include "run/cuda/program.h"
#include "run/io/file.h"
#include "run/io/temp_dir.h"
#include "run/io/output.h"
#include "run/jobs/interrupt.h"
#include "run/jobs/spawn.h"

enum { ARGUMENTS_MAX = 2048 };
/* clang 14 and 15 drop `insertvalue poison, undef`, which makes the padding of a returned struct
 * poison. If members and padding are copied as one integer, the members are poison, too, and the
 * caller's code is optimized away. No option disables the transformation. */
enum { CLANG_RIGHT = 16, CLANG_LAST = 30 }; /* versions searched by name */
enum { CUDA_MAJOR = 11 }; /* CUDA version of headers and libraries; has most old calls */

struct cc {
    const struct options *o;
    struct console *c;
    struct temp_dir temporary;      /* temporary folder, removed at the end */
    struct text headers, library; /* corun's headers and libraries */
    struct text clang;            /* name of the compiler */
    struct text objects[OPERANDS_MAX];
    u32 object_n;
};

struct line { /* a command line; texts are freed after the run */
    const char *at[ARGUMENTS_MAX + 1];
    u32 n;
    struct text room[ARGUMENTS_MAX];
    u32 room_n;
};

static void add(struct line *l, const char *argument)
{
    if (l->n < ARGUMENTS_MAX) l->at[l->n++] = argument;
}

static void add_all(struct line *l, const char *const *arguments)
{
    for (; *arguments; arguments++) add(l, *arguments);
}

__attribute__((format(printf, 2, 3)))
static void add_text(struct line *l, const char *format, ...)
{
    if (l->room_n == ARGUMENTS_MAX) return;
    struct text *t = &l->room[l->room_n++];
    va_list args;
    va_start(args, format);
    text_addv(t, format, args);
    va_end(args);
    add(l, t->bytes);
}

static void add_many(struct line *l, const char *flag, const struct many *many)
{
    for (u32 i = 0; i < many->n; i++) add_text(l, "%s%s", flag, many->at[i]);
}

/* Adds the comma-separated options of -Xcompiler, as in "-Wall,-fopenmp". */
static void add_host(struct line *l, const struct many *many)
{
    for (u32 i = 0; i < many->n; i++)
        for (const char *at = many->at[i]; *at;) {
            size_t n = strcspn(at, ",");
            if (n) add_text(l, "%.*s", (int)n, at);
            at += n + (at[n] == ',');
        }
}

/* NVIDIA headers without a counterpart in corun: prefix of the name, and the library. */
static const struct {
    const char *name, *what;
} lacking[] = {
    {"cooperative_groups", "cooperative groups"}, {"cub/", "CUB"}, {"thrust/", "Thrust"},
    {"cuda/", "libcu++"}, {"cublas", "cuBLAS"}, {"cufft", "cuFFT"},
    {"curand", "cuRAND, for the host or in kernels"}, {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"}, {"cudnn", "cuDNN"}, {"npp", "NPP"}, {"nvrtc", "run-time compilation"},
    {"mma.h", "wmma in C++"}, {"cudaGL", "graphics"}, {"cuda_gl_interop", "graphics"},
};

static void note_lacking(const char *said, struct fail *fail)
{
    static const char before[] = "fatal error: '";
    const char *at = strstr(said, before);
    if (!at) return;
    at += strlen(before);
    for (u32 i = 0; i < COUNT_OF(lacking); i++)
        if (!strncmp(at, lacking[i].name, strlen(lacking[i].name)))
            fail_note(fail, "corun cc does not provide %s", lacking[i].what);
}

/* Runs and frees a command line; corun prints clang's messages. */
static bool line_run(struct cc *cc, struct line *l)
{
    struct text out = {0}, why = {0};
    struct fail *fail = &cc->c->fail;
    l->at[l->n] = NULL;
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
    for (u32 i = 0; i < l->room_n; i++) text_free(&l->room[i]);
    text_free(&out);
    text_free(&why);
    free(l);
    return !status && !interrupt_came();
}

static struct line *line_new(const struct cc *cc, bool cxx)
{
    struct line *l = calloc(1, sizeof *l);
    check(l);
    add(l, cc->clang.bytes);
    if (cxx) add(l, "--driver-mode=g++");
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

static void clang_name(struct cc *cc, const char *name)
{
    text_free(&cc->clang);
    text_add(&cc->clang, "%s", name);
}

/* Chooses CORUN_CLANG, else `clang`; if `clang` is older than 16, the first of clang-16 and
 * later. */
static void clang_choose(struct cc *cc)
{
    const char *given = getenv("CORUN_CLANG");
    bool free_choice = !given || !given[0];
    clang_name(cc, free_choice ? "clang" : given);
    u32 version = clang_version(cc->clang.bytes);
    for (u32 i = CLANG_RIGHT; free_choice && version < CLANG_RIGHT && i <= CLANG_LAST; i++) {
        char name[16];
        snprintf(name, sizeof name, "clang-%u", i);
        if (clang_version(name) < CLANG_RIGHT) continue;
        clang_name(cc, name);
        version = i;
    }
    if (version && version < CLANG_RIGHT)
        text_add(&cc->c->fail.text, "warning: clang %u gives wrong results where a function "
                 "returns a struct with padding; apt install clang-%d\n", version, CLANG_RIGHT);
}

/* ---- sources ---- */

static const char *suffix_of(const char *path)
{
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    return dot ? dot : "";
}

/* Appends the base name of a path with another suffix: "dir/a.cu" gives "a" and the suffix. */
static void base_name(const char *path, const char *suffix, struct text *out)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    text_add(out, "%.*s%s", (int)(strlen(name) - strlen(suffix_of(path))), name, suffix);
}

static bool is_one_of(const char *suffix, const char *const *list)
{
    while (*list && strcmp(suffix, *list)) list++;
    return *list;
}

static bool is_cuda(const char *path) { return !strcmp(suffix_of(path), ".cu"); }

static bool is_plain(const char *path)
{
    static const char *const plain[] = {".cpp", ".cc", ".cxx", ".C", ".c", NULL};
    return is_one_of(suffix_of(path), plain);
}

/* Append the names of a source's PTX and object as the user gets them; `out` stays empty if the
 * user gets none. */
static void ptx_name(const struct options *o, const char *source, struct text *out)
{
    if (!is_cuda(source)) return;
    if (o->cc_ptx && o->cc_output) text_add(out, "%s", o->cc_output);
    else if (o->cc_keep || o->cc_ptx) base_name(source, ".ptx", out);
}

static void object_name(const struct options *o, const char *source, struct text *out)
{
    if (!o->cc_compile || (!is_cuda(source) && !is_plain(source))) return;
    if (o->cc_output) text_add(out, "%s", o->cc_output);
    else base_name(source, ".o", out);
}

static const char *program_name(const struct options *o)
{
    return o->cc_output ? o->cc_output : "a.out";
}

/* Adds the options for both passes and for plain C++. */
static void add_source_options(struct cc *cc, struct line *l, bool cxx)
{
    const struct options *o = cc->o;
    if (cxx) add_text(l, "-std=%s", o->cc_std);
    add_many(l, "-I", &o->cc_include);
    add_many(l, "-D", &o->cc_define);
    add(l, "-isystem");
    add(l, cc->headers.bytes);
}

static void add_cuda_options(struct cc *cc, struct line *l)
{
    static const char *const all[] = {"-x", "cuda", "-nocudainc", "-nocudalib",
        "-Wno-unknown-cuda-version", "-Wno-error=reserved-user-defined-literal", "-Xclang",
        "-target-sdk-version=11.2", "-include", "cuda_runtime.h", NULL};
    add_all(l, all);
    add_text(l, "--cuda-gpu-arch=%s", cc->o->cc_arch);
    add_source_options(cc, l, true);
}

/* Notes the files named after the colon of a make rule ("a.o: a.cu \ b.h"). In a file name, a
 * backslash precedes a blank, a # and a backslash, and $ is doubled. */
static void note_rule(const char *rule)
{
    struct text path = {0};
    const char *at = strstr(rule, ": ");
    for (at = at ? at + 1 : ""; *at; at++) {
        bool escaped = *at == '$' || (*at == '\\' && at[1] && strchr(" #\\", at[1]));
        if (escaped && at[1]) at++;
        if (escaped || !strchr(" \n\\", *at)) {
            text_put(&path, at, 1);
        } else if (path.size) {
            reads_note(path.bytes);
            path.size = 0;
        }
    }
    text_free(&path);
}

/* Reads a file of the temporary folder. Returns false with an error. */
static bool read_temporary(struct cc *cc, const char *path, char **bytes, size_t *size)
{
    struct text why = {0};
    bool read = file_read(path, bytes, size, &why);
    if (!read) fail_plain(&cc->c->fail, "cannot read %s: %s", path, text_get(&why));
    text_free(&why);
    return read;
}

/* Runs clang on a source and notes the files read by clang, except for system headers. */
static bool compile(struct cc *cc, struct line *l, const char *source, const char *to)
{
    struct text read = {0};
    char *rule;
    size_t size;
    text_add(&read, "%s/read", cc->temporary.folder.bytes);
    add_all(l, (const char *const[]){"-MMD", "-MF", read.bytes, source, "-o", to, NULL});
    bool ok = line_run(cc, l) && read_temporary(cc, read.bytes, &rule, &size);
    if (ok) {
        note_rule(rule);
        free(rule);
    }
    text_free(&read);
    return ok;
}

static void add_host_options(struct cc *cc, struct line *l)
{
    const struct options *o = cc->o;
    if (o->cc_optimize.n) add_text(l, "-O%s", o->cc_optimize.at[o->cc_optimize.n - 1]);
    if (o->cc_debug) add(l, "-g");
    add_host(l, &o->cc_host);
    add(l, "-c");
}

/* Compiles device code to PTX, optimized as by nvcc regardless of the host code's level. Suppresses
 * warnings, because the host pass compiles the same text and prints them. */
static bool device_pass(struct cc *cc, const char *source, const char *ptx)
{
    static const char *const how[] = {"--cuda-device-only", "-S", "-O3", "-ffp-contract=fast", "-w",
        "-Xclang", "-target-feature", "-Xclang", "+ptx70", NULL};
    static const char *const fast[] = {"-D__USE_FAST_MATH__=1",
        "-fgpu-flush-denormals-to-zero", "-mllvm", "-nvptx-prec-divf32=0", "-mllvm",
        "-nvptx-prec-sqrtf32=0", NULL};
    struct line *l = line_new(cc, true);
    add_cuda_options(cc, l);
    add_all(l, how);
    if (cc->o->cc_fast) add_all(l, fast);
    return compile(cc, l, source, ptx);
}

static bool host_pass(struct cc *cc, const char *source, const char *fat, const char *object)
{
    struct line *l = line_new(cc, true);
    add_cuda_options(cc, l);
    add_all(l, (const char *const[]){"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary",
                                     "-Xclang", fat, NULL});
    add_host_options(cc, l);
    return compile(cc, l, source, object);
}

static bool make_fat(struct cc *cc, const char *ptx, const char *fat)
{
    char *text;
    size_t size;
    struct text bytes = {0};
    if (!read_temporary(cc, ptx, &text, &size)) return false;
    fat_write((u32)strtoul(cc->o->cc_arch + strlen("sm_"), NULL, 10), text, size, &bytes);
    free(text);
    bool ok = file_write(fat, bytes.bytes, bytes.size, &cc->c->fail);
    text_free(&bytes);
    return ok;
}

/* Appends the name of the file in the temporary folder to which operand `i` is compiled. */
static void temporary_name(const struct cc *cc, u32 i, const char *suffix, struct text *out)
{
    text_add(out, "%s/%u%s", cc->temporary.folder.bytes, i, suffix);
}

static bool compile_cuda(struct cc *cc, u32 i, const char *object)
{
    const char *source = cc->o->operands[i];
    struct text ptx = {0}, fat = {0};
    temporary_name(cc, i, ".ptx", &ptx);
    temporary_name(cc, i, ".fat", &fat);
    bool ok = device_pass(cc, source, ptx.bytes);
    if (!cc->o->cc_ptx)
        ok = ok && make_fat(cc, ptx.bytes, fat.bytes) && host_pass(cc, source, fat.bytes, object);
    text_free(&ptx);
    text_free(&fat);
    return ok;
}

static bool compile_plain(struct cc *cc, const char *source, bool cxx, const char *object)
{
    struct line *l = line_new(cc, cxx);
    add_source_options(cc, l, cxx);
    add_host_options(cc, l);
    return compile(cc, l, source, object);
}

/* Compiles an operand to an object, or takes an existing object or library. */
static bool take(struct cc *cc, u32 i)
{
    static const char *const linked[] = {".o", ".a", ".so", NULL};
    const char *path = cc->o->operands[i];
    const char *suffix = suffix_of(path);
    bool cuda = is_cuda(path), plain = is_plain(path);
    struct source s = {COMMAND_LINE, path, strlen(path)};
    if (!cuda && !plain && !is_one_of(suffix, linked)) {
        fail_at(&cc->c->fail, &s, s.size - strlen(suffix),
                "expected a file name ending in .cu, .cpp, .cc, .cxx, .C, .c, .o, .a or .so");
        return false;
    }
    if (access(path, R_OK)) {
        fail_at(&cc->c->fail, &s, 0, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    if (!cuda && !plain) {
        text_add(&cc->objects[cc->object_n++], "%s", path);
        return true;
    }
    if (cc->o->cc_ptx && !cuda) return true;
    struct text *object = &cc->objects[cc->object_n++];
    temporary_name(cc, i, ".o", object);
    return cuda ? compile_cuda(cc, i, object->bytes)
                : compile_plain(cc, path, strcmp(suffix, ".c"), object->bytes);
}

static bool link_all(struct cc *cc)
{
    struct line *l = line_new(cc, true);
    for (u32 i = 0; i < cc->object_n; i++) add(l, cc->objects[i].bytes);
    if (cc->o->cc_debug) add(l, "-g");
    add_host(l, &cc->o->cc_host);
    add_many(l, "-L", &cc->o->cc_folder);
    add_many(l, "-l", &cc->o->cc_library);
    add_text(l, "-L%s", cc->library.bytes);
    add_text(l, "-Wl,-rpath,%s", cc->library.bytes);
    add_all(l, (const char *const[]){"-lcudart", "-o", program_name(cc->o), NULL});
    return line_run(cc, l);
}

/* ---- the command ---- */

static void fill_nothing(const char *folder, const void *of, struct text *why)
{
    (void)folder, (void)of, (void)why;
}

static bool folder_make(struct cc *cc)
{
    static const struct temp_dir_task empty = {fill_nothing, NULL};
    struct text why = {0};
    bool made = temp_dir_start(&cc->temporary, &empty, &why);
    if (!made) fail_plain(&cc->c->fail, "%s", text_get(&why));
    text_free(&why);
    return made;
}

/* Finds corun's libraries, and the headers in a folder beside them. */
static bool find_own(struct cc *cc)
{
    bool found = program_library_folder(CUDA_MAJOR, &cc->library);
    if (found) text_add(&cc->headers, "%s/../include", cc->library.bytes);
    else fail_plain(&cc->c->fail, "corun's headers and libraries for CUDA are not installed");
    return found;
}

/* Notes the operands and the libraries as inputs; headers are known after compilation. */
static void note_inputs(const struct options *o)
{
    static const char *const suffixes[] = {"so", "a"};
    for (u32 i = 0; i < o->cc_folder.n * o->cc_library.n * COUNT_OF(suffixes); i++) {
        struct text path = {0};
        u32 pair = i / COUNT_OF(suffixes);
        text_add(&path, "%s/lib%s.%s", o->cc_folder.at[pair / o->cc_library.n],
                 o->cc_library.at[pair % o->cc_library.n], suffixes[i % COUNT_OF(suffixes)]);
        reads_note(path.bytes);
        text_free(&path);
    }
    for (u32 i = 0; i < o->operand_n; i++) reads_note(o->operands[i]);
}

/* Returns true if every output can be written, and no output is another output or a noted input. */
static bool outputs_are_distinct(const struct options *o, struct fail *fail)
{
    static const char *const kinds[] = {"the PTX", "the object"};
    u32 n = 0, name_n = 2 * o->operand_n;
    struct text *names = base_alloc((name_n + 1) * sizeof *names);
    struct text *whats = base_alloc((name_n + 1) * sizeof *whats);
    struct output *outputs = base_alloc((name_n + 1) * sizeof *outputs);
    for (u32 i = 0; i < o->operand_n; i++) {
        ptx_name(o, o->operands[i], &names[2 * i]);
        object_name(o, o->operands[i], &names[2 * i + 1]);
    }
    if (!o->cc_ptx && !o->cc_compile) outputs[n++] = output_option("-o", program_name(o));
    for (u32 i = 0; i < name_n; i++) {
        text_add(&whats[i], "%s of %s", kinds[i % 2], o->operands[i / 2]);
        if (names[i].size) outputs[n++] = output_option(whats[i].bytes, names[i].bytes);
    }
    bool apart = outputs_check(outputs, n, fail);
    for (u32 i = 0; i < name_n; i++) {
        text_free(&names[i]);
        text_free(&whats[i]);
    }
    free(names);
    free(whats);
    free(outputs);
    return apart;
}

static bool copy(struct cc *cc, u32 i, const char *suffix, const char *to)
{
    struct text from = {0};
    char *bytes;
    size_t size;
    temporary_name(cc, i, suffix, &from);
    bool ok = read_temporary(cc, from.bytes, &bytes, &size);
    if (ok) {
        ok = file_write(to, bytes, size, &cc->c->fail);
        free(bytes);
    }
    text_free(&from);
    return ok;
}

/* Copies PTX and objects out of the temporary folder, or links the program. */
static bool give(struct cc *cc)
{
    const struct options *o = cc->o;
    bool ok = outputs_are_distinct(o, &cc->c->fail);
    for (u32 i = 0; i < o->operand_n && ok; i++) {
        struct text ptx = {0}, object = {0};
        ptx_name(o, o->operands[i], &ptx);
        object_name(o, o->operands[i], &object);
        ok = (!ptx.size || copy(cc, i, ".ptx", ptx.bytes)) &&
             (!object.size || copy(cc, i, ".o", object.bytes));
        text_free(&ptx);
        text_free(&object);
    }
    return ok && (o->cc_ptx || o->cc_compile || link_all(cc));
}

/* Checks the options and operands. Returns false with an error. */
static bool sensible(const struct options *o, struct fail *fail)
{
    const char *digits = o->cc_arch + strlen("sm_");
    struct source arch = {COMMAND_LINE, o->cc_arch, strlen(o->cc_arch)};
    if (!o->operand_n) fail_plain(fail, "expected a .cu file");
    if (strncmp(o->cc_arch, "sm_", 3) || strspn(digits, "0123456789") != strlen(digits) ||
        strlen(digits) != 2)
        fail_at(fail, &arch, 0, "-arch is '%s', expected sm_ and two digits", o->cc_arch);
    if (o->cc_ptx && o->cc_compile) fail_plain(fail, "-c and -ptx exclude each other");
    if (o->cc_output && (o->cc_ptx || o->cc_compile) && o->operand_n > 1)
        fail_plain(fail, "-o names one file, but %u would be written", o->operand_n);
    if (fail->error_n) return false;
    note_inputs(o);
    return outputs_are_distinct(o, fail);
}

int command_cc(const struct options *o, struct console *c)
{
    struct cc *cc = calloc(1, sizeof *cc);
    check(cc);
    cc->o = o;
    cc->c = c;
    bool ok = sensible(o, &c->fail) && find_own(cc) && folder_make(cc);
    if (ok) {
        interrupts_note();
        clang_choose(cc);
        for (u32 i = 0; i < o->operand_n && !interrupt_came(); i++)
            ok &= take(cc, i);
        ok = ok && !interrupt_came() && give(cc);
    }
    temp_dir_end(&cc->temporary);
    for (u32 i = 0; i < cc->object_n; i++) text_free(&cc->objects[i]);
    text_free(&cc->headers);
    text_free(&cc->library);
    text_free(&cc->clang);
    free(cc);
    return ok ? EXIT_DONE : EXIT_INPUT;
}
