/* corun cc: compiles CUDA C++ with clang in two passes: device code to PTX, packed into a fat
 * binary, then host code with the fat binary inside. Links with corun's own run-time library. clang
 * compiles into a temporary folder. PTX, objects and the program are copied from the folder only
 * when all files read by clang are known: no output can then overwrite an input. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cc/arch.h"
#include "cli/cc/external.h"
#include "cli/cc/line.h"
#include "run/cuda/program.h"
#include "run/io/file.h"
#include "run/io/make_rule.h"
#include "run/io/temp_dir.h"
#include "run/io/output.h"
#include "run/jobs/interrupt.h"

/* CUDA version of headers and libraries, CUDA_VERSION of cuda.h; has most old calls. */
enum { CUDA_MAJOR = 11, CUDA_MINOR = 2 };

struct cc {
    const struct options *o;
    const struct nvcc *nvcc; /* the options */
    struct console *c;
    struct temp_dir temporary;    /* temporary folder, removed at the end */
    struct text headers, library; /* corun's headers and libraries */
    struct text driver;           /* corun's library of the driver API */
    struct clang clang;
    struct ptx_arch arch;
    struct text objects[OPERANDS_MAX];
    u32 object_n;
    struct text rules[OPERANDS_MAX]; /* make rules for the user */
};

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

enum language { LANGUAGE_NONE, LANGUAGE_CUDA, LANGUAGE_CXX, LANGUAGE_C, LANGUAGE_LINKED };

static enum language language_of(const struct nvcc *o, const char *path)
{
    static const char *const linked[] = {".o", ".obj", ".a", ".so", NULL};
    static const char *const cxx[] = {".cpp", ".cc", ".cxx", ".C", NULL};
    const char *suffix = suffix_of(path), *given = nvcc_last(o, CC_LANGUAGE);
    if (is_one_of(suffix, linked)) return LANGUAGE_LINKED;
    if (given)
        return !strcmp(given, "cu") ? LANGUAGE_CUDA : given[1] ? LANGUAGE_CXX : LANGUAGE_C;
    if (!strcmp(suffix, ".cu")) return LANGUAGE_CUDA;
    if (!strcmp(suffix, ".c")) return LANGUAGE_C;
    return is_one_of(suffix, cxx) ? LANGUAGE_CXX : LANGUAGE_NONE;
}

static bool is_source(enum language l) { return l && l != LANGUAGE_LINKED; }

/* ---- names of the user's files ---- */

static bool only_rules(const struct nvcc *o)
{
    return nvcc_has(o, CC_RULE_ONLY) || nvcc_has(o, CC_RULE_ONLY_USER);
}

static bool with_rules(const struct nvcc *o)
{
    return only_rules(o) || nvcc_has(o, CC_RULE) || nvcc_has(o, CC_RULE_USER);
}

static bool compiles(const struct nvcc *o)
{
    return nvcc_has(o, CC_COMPILE) || nvcc_has(o, CC_COMPILE_RELOCATABLE);
}

static bool is_relocatable(const struct nvcc *o)
{
    return nvcc_true(o, CC_RELOCATABLE, false) || nvcc_has(o, CC_COMPILE_RELOCATABLE);
}

static bool preprocesses(const struct nvcc *o) { return nvcc_has(o, CC_PREPROCESS); }

static bool links(const struct nvcc *o)
{
    return !nvcc_has(o, CC_PTX) && !compiles(o) && !only_rules(o) && !preprocesses(o);
}

/* The output of the link, or of -dlink. */
static const char *program_name(const struct nvcc *o)
{
    if (nvcc_has(o, CC_OUTPUT)) return nvcc_last(o, CC_OUTPUT);
    return nvcc_has(o, CC_DEVICE_LINK) ? "a_dlink.o" : "a.out";
}

enum product { PRODUCT_PTX, PRODUCT_OBJECT, PRODUCT_RULE, PRODUCT_TEXT, PRODUCT_N };
static const char *const suffixes[] = {".ptx", ".o", ".d", ".i"};

static void ptx_name(const struct nvcc *o, const char *source, struct text *out)
{
    const char *folder = nvcc_last(o, CC_KEEP_FOLDER);
    if (nvcc_has(o, CC_PTX) && nvcc_has(o, CC_OUTPUT)) {
        text_add(out, "%s", nvcc_last(o, CC_OUTPUT));
    } else if (nvcc_has(o, CC_PTX) || nvcc_has(o, CC_KEEP)) {
        if (folder && !nvcc_has(o, CC_PTX)) text_add(out, "%s/", folder);
        base_name(source, ".ptx", out);
    }
}

static void object_name(const struct nvcc *o, const char *source, struct text *out)
{
    if (nvcc_has(o, CC_OUTPUT)) text_add(out, "%s", nvcc_last(o, CC_OUTPUT));
    else base_name(source, ".o", out);
}

/* The file of a make rule: -MF, otherwise the output, or the source in the current folder, with the
 * suffix .d. -M alone prints the rule. */
static void rule_name(const struct nvcc *o, const char *source, bool single, struct text *out)
{
    const char *file = nvcc_last(o, CC_RULE_FILE), *output = nvcc_last(o, CC_OUTPUT);
    if (!file && only_rules(o)) file = output;
    if (file) text_add(out, "%s", file);
    else if (only_rules(o)) return;
    else if (output && single)
        text_add(out, "%.*s.d", (int)(strlen(output) - strlen(suffix_of(output))), output);
    else base_name(source, ".d", out);
}

/* Appends the name of a product of operand `i` as the user gets the product; `out` stays empty if
 * the user gets none. */
static void product_name(const struct options *o, u32 i, enum product p, struct text *out)
{
    const struct nvcc *nvcc = &o->nvcc;
    const char *source = o->operands[i];
    enum language language = language_of(nvcc, source);
    if (!is_source(language)) return;
    if (p == PRODUCT_RULE) {
        if (with_rules(nvcc)) rule_name(nvcc, source, o->operand_n == 1, out);
    } else if (only_rules(nvcc)) {
        return;
    } else if (p == PRODUCT_TEXT) {
        if (preprocesses(nvcc) && nvcc_has(nvcc, CC_OUTPUT))
            text_add(out, "%s", nvcc_last(nvcc, CC_OUTPUT));
    } else if (preprocesses(nvcc)) {
        return;
    } else if (p == PRODUCT_PTX) {
        if (language == LANGUAGE_CUDA) ptx_name(nvcc, source, out);
    } else if (compiles(nvcc)) {
        object_name(nvcc, source, out);
    }
}

/* ---- options of clang ---- */

/* True for the folder of the headers of an installed toolkit. */
static bool is_toolkit(const char *folder)
{
    struct text path = {0};
    text_add(&path, "%s/cuda_runtime_api.h", folder);
    bool found = !access(path.bytes, F_OK);
    text_free(&path);
    return found;
}

/* True for the libraries that corun's run-time library replaces. */
static bool is_runtime(const char *name)
{
    static const char *const names[] = {"cudart", "cudart_static", "cudadevrt", NULL};
    return is_one_of(name, names);
}

/* Returns the set of passes for which clang gets an option. */
static u32 passes_of(const struct nvcc_given *given)
{
    enum nvcc_effect effect = given->row->effect;
    switch (effect) {
    case CC_INCLUDE: return is_toolkit(given->value) ? 0 : CC_SOURCES;
    case CC_LIBRARY: return is_runtime(given->value) ? 0 : CC_LINK;
    case CC_RULE_TARGET: return CC_SOURCES;
    case CC_UNKNOWN: return CC_HOST_LINK;
    case CC_FOLDER: return CC_LINK;
    default: return effect < CC_HELD ? effect : 0;
    }
}

static void add_given(const struct cc *cc, struct line *l, enum nvcc_pass pass)
{
    for (u32 i = 0; i < cc->nvcc->n; i++)
        if (passes_of(&cc->nvcc->at[i]) & pass) line_add_given(l, &cc->nvcc->at[i]);
}

/* Warns once of each option without effect. */
static void warn_ignored(const struct nvcc *o, struct text *out)
{
    for (u32 i = 0; i < o->n; i++) {
        const struct nvcc_row *row = o->at[i].row;
        const char *value = o->at[i].value, *reason = nvcc_reason(row);
        bool again = false, toolkit = row->effect == CC_INCLUDE && is_toolkit(value);
        for (u32 j = 0; j < i; j++)
            again |= o->at[j].row == row && (!toolkit || !strcmp(o->at[j].value, value));
        if (again) continue;
        if (row->effect == CC_IGNORED)
            text_add(out, "warning: %s is ignored: %.*s\n", row->flag, (int)strlen(reason) - 1,
                     reason);
        if (toolkit)
            text_add(out, "warning: %s %s is ignored: the folder holds NVIDIA's headers, and corun "
                     "cc has headers of its own\n", row->flag, value);
    }
}

/* Adds the options for both passes and for plain C++. */
static void add_source_options(struct cc *cc, struct line *l, enum nvcc_pass pass, bool cxx)
{
    const char *standard = nvcc_last(cc->nvcc, CC_STANDARD);
    if (cxx) line_add_text(l, "-std=%s", standard ? standard : "c++17");
    add_given(cc, l, pass);
    line_add(l, "-isystem");
    line_add(l, cc->headers.bytes);
    line_add(l, cc->clang.serial ? "-isystem" : "-idirafter");
    line_add_text(l, "%s/serial", cc->headers.bytes);
}

static void add_cuda_options(struct cc *cc, struct line *l, enum nvcc_pass pass)
{
    static const char *const all[] = {"-x", "cuda", "-nocudainc", "-nocudalib",
        "-Wno-unknown-cuda-version", "-Wno-error=reserved-user-defined-literal",
        "-Wno-error=register", "-Xclang", "-target-sdk-version=11.2", "-Xclang",
        "-fcuda-allow-variadic-functions", "-include", "cuda_runtime.h", NULL};
    struct text arch = {0};
    line_add_all(l, all);
    ptx_arch_show(cc->arch, &arch);
    line_add_text(l, "--cuda-gpu-arch=%s", arch.bytes);
    text_free(&arch);
    add_source_options(cc, l, pass, true);
}

/* ---- compiling ---- */

/* Notes the files of a make rule as read. */
static void note_rule(const char *rule)
{
    struct text copy = {0};
    text_add(&copy, "%s", rule);
    char *rest = make_rule_files(copy.bytes), *name;
    while ((name = make_rule_next(&rest))) reads_note(name);
    text_free(&copy);
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

/* Adds the rule of a pass to the rules of operand `i`. Both passes usually read the same files. */
static void keep_rule(struct cc *cc, u32 i, const char *rule)
{
    struct text *kept = &cc->rules[i];
    if (with_rules(cc->nvcc) && strcmp(text_get(kept), rule)) text_add(kept, "%s", rule);
}

/* Adds the options for the make rule of operand `i`. clang always writes a rule. */
static void add_rule_options(struct cc *cc, struct line *l, u32 i)
{
    bool system = nvcc_has(cc->nvcc, CC_RULE_ONLY) || nvcc_has(cc->nvcc, CC_RULE);
    struct text target = {0};
    if (only_rules(cc->nvcc)) line_add(l, system ? "-M" : "-MM");
    else line_add(l, system ? "-MD" : "-MMD");
    if (only_rules(cc->nvcc)) base_name(cc->o->operands[i], ".o", &target);
    else if (links(cc->nvcc)) text_add(&target, "%s", program_name(cc->nvcc));
    else product_name(cc->o, i, nvcc_has(cc->nvcc, CC_PTX) ? PRODUCT_PTX : PRODUCT_OBJECT, &target);
    if (target.size && !nvcc_has(cc->nvcc, CC_RULE_TARGET)) {
        line_add(l, "-MQ");
        line_add_text(l, "%s", target.bytes);
    }
    text_free(&target);
}

/* Runs clang on operand `i` and notes the files read by clang. */
static bool compile(struct cc *cc, struct line *l, u32 i, const char *to)
{
    struct text read = {0};
    char *rule;
    size_t size;
    text_add(&read, "%s/read", cc->temporary.folder.bytes);
    add_rule_options(cc, l, i);
    line_add_all(l, (const char *const[]){"-MF", read.bytes, cc->o->operands[i], "-o", to, NULL});
    bool ok = line_run(&cc->clang, l);
    if (ok && !cc->clang.dry && (ok = read_temporary(cc, read.bytes, &rule, &size))) {
        note_rule(rule);
        keep_rule(cc, i, rule);
        free(rule);
    }
    text_free(&read);
    return ok;
}

/* Adds the options for float arithmetic in device code. */
static void add_arithmetic(struct cc *cc, struct line *l)
{
    const struct nvcc *o = cc->nvcc;
    bool fast = nvcc_has(o, CC_FAST);
    if (fast) line_add(l, "-D__USE_FAST_MATH__=1");
    if (nvcc_true(o, CC_FTZ, fast)) line_add(l, "-fgpu-flush-denormals-to-zero");
    line_add(l, nvcc_true(o, CC_FMAD, true) ? "-ffp-contract=fast" : "-ffp-contract=off");
    if (!nvcc_true(o, CC_DIVISION, !fast)) /* 1: div.full, 0: div.approx */
        line_add_all(l, (const char *const[]){"-mllvm", fast ? "-nvptx-prec-divf32=0"
                                                             : "-nvptx-prec-divf32=1", NULL});
    if (!nvcc_true(o, CC_ROOT, !fast))
        line_add_all(l, (const char *const[]){"-mllvm", "-nvptx-prec-sqrtf32=0", NULL});
}

/* Compiles device code to PTX, optimized as by nvcc regardless of the host code's level. Suppresses
 * warnings, because the host pass compiles the same text and prints them. As a builtin, a malloc
 * without uses of the memory would be assumed to succeed; nvcc keeps the call. */
static bool device_pass(struct cc *cc, u32 i, const char *ptx)
{
    static const char *const how[] = {"--cuda-device-only", "-S", "-O3", "-w",
        "-fno-builtin-malloc", "-Xclang", "-target-feature", "-Xclang", "+ptx70", NULL};
    struct line *l = line_new(&cc->clang, true);
    add_cuda_options(cc, l, PASS_DEVICE);
    line_add_all(l, how);
    add_arithmetic(cc, l);
    return compile(cc, l, i, ptx);
}

static bool host_pass(struct cc *cc, u32 i, const char *fat, const char *object)
{
    struct line *l = line_new(&cc->clang, true);
    add_cuda_options(cc, l, PASS_HOST);
    line_add_all(l, (const char *const[]){"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary",
                                          "-Xclang", fat, "-c", NULL});
    return compile(cc, l, i, object);
}

static bool make_fat(struct cc *cc, const char *source, const char *ptx, const char *fat)
{
    char *text;
    size_t size;
    struct text bytes = {0};
    if (cc->clang.dry || only_rules(cc->nvcc)) return true;
    if (!read_temporary(cc, ptx, &text, &size)) return false;
    bool relocatable = is_relocatable(cc->nvcc);
    bool ok = relocatable || external_check(source, text, &cc->c->fail);
    fat_write(cc->arch.number, relocatable, text, size, &bytes);
    free(text);
    ok = ok && file_write(fat, bytes.bytes, bytes.size, &cc->c->fail);
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
    struct text ptx = {0}, fat = {0};
    temporary_name(cc, i, ".ptx", &ptx);
    temporary_name(cc, i, ".fat", &fat);
    bool ok = device_pass(cc, i, ptx.bytes);
    if (!nvcc_has(cc->nvcc, CC_PTX))
        ok = ok && make_fat(cc, cc->o->operands[i], ptx.bytes, fat.bytes) &&
             host_pass(cc, i, fat.bytes, object);
    text_free(&ptx);
    text_free(&fat);
    return ok;
}

static bool compile_plain(struct cc *cc, u32 i, bool cxx, const char *object)
{
    struct line *l = line_new(&cc->clang, cxx);
    if (nvcc_has(cc->nvcc, CC_LANGUAGE))
        line_add_all(l, (const char *const[]){"-x", cxx ? "c++" : "c", NULL});
    add_source_options(cc, l, PASS_HOST, cxx);
    line_add(l, "-c");
    return compile(cc, l, i, object);
}

/* Preprocesses operand `i` as in the host pass. */
static bool preprocess(struct cc *cc, u32 i, enum language language)
{
    bool cxx = language != LANGUAGE_C;
    struct text to = {0};
    struct line *l = line_new(&cc->clang, cxx);
    temporary_name(cc, i, suffixes[PRODUCT_TEXT], &to);
    if (language == LANGUAGE_CUDA) {
        add_cuda_options(cc, l, PASS_HOST);
        line_add(l, "--cuda-host-only");
    } else {
        add_source_options(cc, l, PASS_HOST, cxx);
    }
    line_add(l, "-E");
    bool ok = compile(cc, l, i, to.bytes);
    text_free(&to);
    return ok;
}

/* Compiles an operand to an object, or takes an existing object or library. */
static bool take(struct cc *cc, u32 i)
{
    const char *path = cc->o->operands[i];
    enum language language = language_of(cc->nvcc, path);
    struct source s = {COMMAND_LINE, path, strlen(path)};
    if (!language) {
        fail_at(&cc->c->fail, &s, s.size - strlen(suffix_of(path)),
                "expected a file name ending in .cu, .cpp, .cc, .cxx, .C, .c, .o, .obj, .a or .so");
        fail_note(&cc->c->fail, "-x cu compiles a file of any name as CUDA C++");
        return false;
    }
    if (access(path, R_OK)) {
        fail_at(&cc->c->fail, &s, 0, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    if (language == LANGUAGE_LINKED) {
        text_add(&cc->objects[cc->object_n++], "%s", path);
        return true;
    }
    if (preprocesses(cc->nvcc)) return preprocess(cc, i, language);
    if (nvcc_has(cc->nvcc, CC_PTX) && language != LANGUAGE_CUDA) return true;
    struct text *object = &cc->objects[cc->object_n++];
    temporary_name(cc, i, ".o", object);
    if (language == LANGUAGE_CUDA) return compile_cuda(cc, i, object->bytes);
    return compile_plain(cc, i, language == LANGUAGE_CXX, object->bytes);
}

/* Writes the empty object of -dlink. */
static bool write_empty(struct cc *cc, const char *to)
{
    struct line *l = line_new(&cc->clang, false);
    line_add_all(l, (const char *const[]){"-fPIC", "-x", "c", "-c", "/dev/null", "-o", to, NULL});
    return line_run(&cc->clang, l);
}

/* corun's libraries precede the user's folders, which may hold NVIDIA's. */
static bool link_into(struct cc *cc, const char *to)
{
    if (nvcc_has(cc->nvcc, CC_DEVICE_LINK)) return write_empty(cc, to);
    struct line *l = line_new(&cc->clang, true);
    for (u32 i = 0; i < cc->object_n; i++) line_add(l, cc->objects[i].bytes);
    line_add_text(l, "-L%s", cc->library.bytes);
    line_add_text(l, "-L%s", text_get(&cc->driver));
    add_given(cc, l, PASS_LINK);
    line_add_text(l, "-Wl,-rpath,%s", cc->library.bytes);
    line_add_text(l, "-Wl,-rpath,%s", text_get(&cc->driver));
    line_add_all(l, (const char *const[]){"-lcudart", "-o", to, NULL});
    return line_run(&cc->clang, l);
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
    bool found = program_library_folder(CUDA_MAJOR, &cc->library) &&
                 program_library_folder(DRIVER_LIBRARY, &cc->driver);
    if (found) text_add(&cc->headers, "%s/../include", cc->library.bytes);
    else fail_plain(&cc->c->fail, "corun's headers and libraries for CUDA are not installed");
    return found;
}

/* Notes the operands and the libraries as inputs; headers are known after compilation. */
static void note_inputs(const struct options *o)
{
    static const char *const kinds[] = {"so", "a"};
    const struct nvcc *nvcc = &o->nvcc;
    for (u32 i = 0; i < nvcc->n; i++)
        for (u32 j = 0; j < nvcc->n && nvcc->at[i].row->effect == CC_FOLDER; j++)
            for (u32 k = 0; k < COUNT_OF(kinds) && nvcc->at[j].row->effect == CC_LIBRARY; k++) {
                struct text path = {0};
                text_add(&path, "%s/lib%s.%s", nvcc->at[i].value, nvcc->at[j].value, kinds[k]);
                reads_note(path.bytes);
                text_free(&path);
            }
    for (u32 i = 0; i < o->operand_n; i++) reads_note(o->operands[i]);
}

/* Returns true if every output can be written, and no output is another output or a noted input. */
static bool outputs_are_distinct(const struct options *o, struct fail *fail)
{
    static const char *const kinds[PRODUCT_N] = {
        [PRODUCT_PTX] = "the PTX", [PRODUCT_OBJECT] = "the object",
        [PRODUCT_RULE] = "the make rule", [PRODUCT_TEXT] = "the preprocessed source"};
    u32 n = 0, name_n = PRODUCT_N * o->operand_n;
    struct text *names = base_alloc((name_n + 1) * sizeof *names);
    struct text *whats = base_alloc((name_n + 1) * sizeof *whats);
    struct output *outputs = base_alloc((name_n + 1) * sizeof *outputs);
    if (links(&o->nvcc)) outputs[n++] = output_option("-o", program_name(&o->nvcc));
    for (u32 i = 0; i < name_n; i++) {
        product_name(o, i / PRODUCT_N, (enum product)(i % PRODUCT_N), &names[i]);
        text_add(&whats[i], "%s of %s", kinds[i % PRODUCT_N], o->operands[i / PRODUCT_N]);
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

/* Copies a file of the temporary folder; to NULL: prints the file. */
static bool copy(struct cc *cc, u32 i, const char *suffix, const char *to)
{
    struct text from = {0};
    char *bytes;
    size_t size;
    temporary_name(cc, i, suffix, &from);
    bool ok = read_temporary(cc, from.bytes, &bytes, &size);
    if (ok) {
        if (to) ok = file_write(to, bytes, size, &cc->c->fail);
        else text_put(&cc->c->out, bytes, size);
        free(bytes);
    }
    text_free(&from);
    return ok;
}

/* Copies the products of operand `i` out of the temporary folder. */
static bool give_products(struct cc *cc, u32 i)
{
    bool ok = true;
    for (u32 p = 0; p < PRODUCT_N && ok; p++) {
        struct text name = {0}, *rule = &cc->rules[i];
        product_name(cc->o, i, (enum product)p, &name);
        if (!name.size) continue;
        ok = p == PRODUCT_RULE ? file_write(name.bytes, text_get(rule), rule->size, &cc->c->fail)
                               : copy(cc, i, suffixes[p], name.bytes);
        text_free(&name);
    }
    bool prints = preprocesses(cc->nvcc) && !nvcc_has(cc->nvcc, CC_OUTPUT);
    if (ok && prints && is_source(language_of(cc->nvcc, cc->o->operands[i])))
        ok = copy(cc, i, suffixes[PRODUCT_TEXT], NULL);
    if (only_rules(cc->nvcc) && !nvcc_has(cc->nvcc, CC_RULE_FILE) && !nvcc_has(cc->nvcc, CC_OUTPUT))
        text_add(&cc->c->out, "%s", text_get(&cc->rules[i]));
    return ok;
}

/* Links in the temporary folder, so that an earlier program stays if the linker fails or the disk
 * is full, and copies the program with the permissions that the linker gave it. */
static bool give_program(struct cc *cc)
{
    const char *to = program_name(cc->nvcc);
    if (cc->clang.dry) return link_into(cc, to);
    struct text from = {0};
    struct stat linked, there;
    temporary_name(cc, 0, ".program", &from);
    bool ok = link_into(cc, from.bytes) && copy(cc, 0, ".program", to);
    if (ok && !stat(from.bytes, &linked) && !stat(to, &there) && S_ISREG(there.st_mode))
        ok = !chmod(to, linked.st_mode & 0777) || file_unwritten(to, errno, NULL, 0, &cc->c->fail);
    text_free(&from);
    return ok;
}

/* Copies PTX, objects, make rules and the program out of the temporary folder. */
static bool give(struct cc *cc)
{
    bool ok = cc->clang.dry || outputs_are_distinct(cc->o, &cc->c->fail);
    for (u32 i = 0; i < cc->o->operand_n && ok && !cc->clang.dry; i++) ok = give_products(cc, i);
    return ok && (!links(cc->nvcc) || give_program(cc));
}

/* Checks the options and operands. Returns false with an error. */
static bool sensible(const struct options *o, struct fail *fail)
{
    const struct nvcc *nvcc = &o->nvcc;
    bool several = o->operand_n > 1;
    if (!o->operand_n) fail_plain(fail, "expected a .cu file");
    for (u32 i = 0; i < o->operand_n && nvcc_has(nvcc, CC_DEVICE_LINK); i++)
        if (language_of(nvcc, o->operands[i]) != LANGUAGE_LINKED)
            fail_plain(fail, "-dlink takes objects and libraries, not %s", o->operands[i]);
    if (nvcc_has(nvcc, CC_PTX) + compiles(nvcc) + preprocesses(nvcc) > 1)
        fail_plain(fail, "-c, -ptx and -E exclude each other");
    if (nvcc_has(nvcc, CC_OUTPUT) && !links(nvcc) && several)
        fail_plain(fail, "-o names one file, but %u would be written", o->operand_n);
    if (nvcc_has(nvcc, CC_RULE_FILE) && with_rules(nvcc) && several)
        fail_plain(fail, "-MF names one file, but %u would be written", o->operand_n);
    if (fail->error_n) return false;
    note_inputs(o);
    return outputs_are_distinct(o, fail);
}

/* Makefiles look for "release N.N" and "VN.N.N". */
static void show_version(struct text *out)
{
    text_add(out, "corun " CORUN_VERSION ": CUDA C++ with clang\nCUDA, release %d.%d, V%d.%d.0\n",
             CUDA_MAJOR, CUDA_MINOR, CUDA_MAJOR, CUDA_MINOR);
}

int command_cc(const struct options *o, struct console *c)
{
    if (nvcc_has(&o->nvcc, CC_VERSION)) {
        show_version(&c->out);
        return EXIT_DONE;
    }
    struct cc *cc = calloc(1, sizeof *cc);
    check(cc);
    cc->o = o;
    cc->nvcc = &o->nvcc;
    cc->c = c;
    cc->clang = (struct clang){.c = c, .shown = nvcc_has(cc->nvcc, CC_VERBOSE),
                               .dry = nvcc_has(cc->nvcc, CC_DRY_RUN)};
    bool ok = arch_choose(cc->nvcc, &cc->arch, &c->fail) && sensible(o, &c->fail) &&
              find_own(cc) && folder_make(cc);
    if (ok) {
        interrupts_note();
        warn_ignored(cc->nvcc, &c->fail.text);
        clang_choose(&cc->clang);
        clang_check_openmp(&cc->clang, cc->nvcc);
        for (u32 i = 0; i < o->operand_n && !interrupt_came(); i++)
            ok &= take(cc, i);
        ok = ok && !interrupt_came() && give(cc);
    }
    temp_dir_end(&cc->temporary);
    for (u32 i = 0; i < cc->object_n; i++) text_free(&cc->objects[i]);
    for (u32 i = 0; i < o->operand_n; i++) text_free(&cc->rules[i]);
    text_free(&cc->headers);
    text_free(&cc->library);
    text_free(&cc->driver);
    text_free(&cc->clang.name);
    free(cc);
    return ok ? EXIT_DONE : EXIT_INPUT;
}
