#include "run/cuda/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/cuda/binary.h"
#include "run/cuda/session.h"
#include "run/io/file.h"
#include "run/io/reads.h"

/* ---- library folders ---- */

static bool is_library_folder(struct text *path, u32 major)
{
    size_t n = path->size;
    if (major) text_add(path, "/cuda%u/libcudart.so.%u%s", major, major, major == 11 ? ".0" : "");
    else text_add(path, "/driver/libcuda.so.1");
    bool is = !access(text_get(path), R_OK);
    path->bytes[path->size = n] = 0;
    if (major) text_add(path, "/cuda%u", major);
    else text_add(path, "/driver");
    return is;
}

/* Searches beside the corun binary (build tree) and below the installation prefix. */
bool program_library_folder(u32 major, struct text *out)
{
    static const char *const folders[] = {"cuda", "../lib/corun", "../" CORUN_LIBDIR "/corun"};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return false;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (u32 i = 0; i < COUNT_OF(folders); i++) {
        struct text path = {0};
        text_add(&path, "%s/%s", self, folders[i]);
        bool found = is_library_folder(&path, major);
        if (found) text_add(out, "%s", text_get(&path));
        text_free(&path);
        if (found) return true;
    }
    return false;
}

static const char *library_path(struct arena *arena, const struct source *spec, struct fail *fail)
{
    struct text path = {0};
    static const u32 versions[] = {13, 12, 11, DRIVER_LIBRARY};
    for (u32 i = 0; i < COUNT_OF(versions); i++) {
        size_t before = path.size;
        if (before) text_add(&path, ":");
        if (!program_library_folder(versions[i], &path) && before)
            path.bytes[path.size = before] = 0;
    }
    if (!path.size) fail_at(fail, spec, 0, "the libraries for CUDA programs are not installed");
    const char *kept = path.size ? arena_text(arena, path.bytes, path.size) : NULL;
    text_free(&path);
    return kept;
}

/* Returns the variable of the app file, otherwise of corun's own environment. */
static const char *variable_of(const struct cuda *c, const char *name)
{
    const char *value = getenv(name);
    size_t n = strlen(name);
    for (u32 i = 0; c->environment[i]; i++)
        if (!strncmp(c->environment[i], name, n) && c->environment[i][n] == '=')
            value = c->environment[i] + n + 1;
    return value;
}

/* corun's folders precede the user's LD_LIBRARY_PATH. */
void program_library_path(const struct cuda *c, struct text *out)
{
    const char *own = variable_of(c, LIBRARY_PATH);
    text_add(out, "%s%s%s", c->library_path, own && *own ? ":" : "", own ? own : "");
}

/* ---- the argument ---- */

bool names_program(const char *argument)
{
    return !strncmp(argument, PROGRAM_PREFIX, strlen(PROGRAM_PREFIX));
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

struct word_list {
    const char **at;
    u32 n, room;
};

/* Reads one word at *at and advances *at behind the word. false: unterminated quote. */
static bool cut_word(const struct source *spec, size_t *at, struct text *word)
{
    char quote = 0;
    for (; *at < spec->size && (quote || !is_blank(spec->text[*at])); ++*at) {
        char c = spec->text[*at];
        if (quote ? c == quote : c == '\'' || c == '"') quote = quote ? 0 : c;
        else if (c == '\\' && quote != '\'' && *at + 1 < spec->size)
            text_put(word, &spec->text[++*at], 1);
        else text_put(word, &c, 1);
    }
    return !quote;
}

static bool cut(struct arena *arena, const struct source *spec, struct word_list *w,
                struct fail *fail)
{
    size_t at = strlen(PROGRAM_PREFIX);
    for (;;) {
        while (at < spec->size && is_blank(spec->text[at])) at++;
        if (at == spec->size) break;
        struct text word = {0};
        size_t start = at;
        bool ok = cut_word(spec, &at, &word);
        if (ok) *arena_push(arena, w->at, w->n, w->room) =
                    arena_text(arena, text_get(&word), word.size);
        else fail_at(fail, spec, start, "unterminated quote");
        text_free(&word);
        if (!ok) return false;
    }
    *arena_push(arena, w->at, w->n, w->room) = NULL;
    w->n--;
    if (!w->n) fail_at(fail, spec, spec->size, "expected a program, as in cuda:./a.out");
    return w->n > 0;
}

void program_spec(const char *const *words, u32 n, struct text *out)
{
    text_add(out, PROGRAM_PREFIX);
    for (u32 i = 0; i < n; i++) {
        if (i) text_add(out, " ");
        bool plain = words[i][0] && !strpbrk(words[i], " \t\n'\"\\");
        if (plain) text_add(out, "%s", words[i]);
        for (const char *c = words[i]; !plain && (c == words[i] || *c); c++) {
            if (c == words[i]) text_add(out, "'");
            if (*c == '\'') text_add(out, "'\\''");
            else if (*c) text_put(out, c, 1);
            if (!*c || !c[1]) text_add(out, "'");
            if (!*c) break;
        }
    }
}

/* ---- the program ---- */

static bool can_run(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

/* Finds an executable like a shell, on PATH if the name has no slash. In an app file a relative
 * path is relative to the app file. NULL: error. */
static const char *find_program(struct arena *arena, const struct program_word *w, bool in_file,
                                struct fail *fail)
{
    const char *path = getenv("PATH"), *found = NULL, *name = w->text;
    struct text one = {0};
    if (!*name) {
        fail_at(fail, w->at, w->offset, "expected the name of a program");
        return NULL;
    }
    if (strchr(name, '/')) {
        if (in_file) file_beside(w->at->name, name, &one);
        else text_add(&one, "%s", name);
        if (can_run(one.bytes)) found = arena_text(arena, one.bytes, one.size);
        else fail_at(fail, w->at, w->offset, "cannot run %s: %s", one.bytes,
                     access(one.bytes, F_OK) ? strerror(errno) : "not an executable file");
        if (!found && in_file) fail_note(fail, "a path in a file is relative to the file");
        text_free(&one);
        return found;
    }
    for (const char *at = path ? path : ""; *at && !found;) {
        size_t n = strcspn(at, ":");
        one.size = 0;
        text_add(&one, "%.*s/%s", n ? (int)n : 1, n ? at : ".", name);
        if (can_run(text_get(&one))) found = arena_text(arena, one.bytes, one.size);
        at += n + (at[n] == ':');
    }
    text_free(&one);
    if (!found) {
        fail_at(fail, w->at, w->offset, "no program '%s' on PATH", name);
        fail_note(fail, "a program in the current folder is ./%s", name);
    }
    return found;
}

/* Rejects a changed program, and programs linked statically against NVIDIA's runtime, which needs
 * undocumented tables of the driver. */
static bool check_run_time(const char *path, const struct program_word *w, struct fail *fail)
{
    struct text why = {0};
    char *bytes = NULL;
    size_t size = 0;
    bool read = file_read(path, &bytes, &size, &why), same = !read || reads_same(path, bytes, size);
    bool foreign = read && binary_has_foreign_run_time(bytes, size);
    free(bytes);
    text_free(&why);
    if (!same) fail_at(fail, w->at, w->offset, "cannot run %s: " FILE_CHANGED, path);
    if (!foreign) return same;
    fail_at(fail, w->at, w->offset, "%s is linked with NVIDIA's static runtime, which needs a "
            "driver",
            path);
    fail_note(fail, "link again, with nvcc's -cudart shared (CMake: "
              "CMAKE_CUDA_RUNTIME_LIBRARY=Shared) or with NVCC_PREPEND_FLAGS=\"-L$(corun cuda "
              "--libdir 13)\"");
    return false;
}

/* Makes a path absolute. Does not resolve links, because a program may depend on its own name. */
static const char *absolute(struct arena *arena, const char *path)
{
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (!here) return path;
    while (!strncmp(path, "./", 2)) path += 2;
    struct text all = {0};
    text_add(&all, "%s/%s", here, path);
    const char *kept = arena_text(arena, all.bytes, all.size);
    text_free(&all);
    free(here);
    return kept;
}

static void feed_text(struct input_feed *f, const char *text)
{
    input_feed_part(f, text, strlen(text));
}

void program_feed_file(struct input_feed *f, const char *path)
{
    struct text why = {0};
    char *bytes = NULL;
    size_t size = 0;
    bool read = file_read(path, &bytes, &size, &why);
    input_feed_part(f, read ? bytes : NULL, read ? size : 0);
    free(bytes);
    text_free(&why);
}

/* Feeds a folder in a normal form: "a/b", "./a//b/" and "a/./b" give the same bytes. */
static void feed_folder(struct input_feed *f, const char *path)
{
    struct text plain = {0};
    text_add(&plain, "%s", path[0] == '/' ? "/" : "");
    for (size_t n; *path; path += n + (path[n] == '/')) {
        n = strcspn(path, "/");
        if (n && !(n == 1 && path[0] == '.')) text_add(&plain, "%.*s/", (int)n, path);
    }
    feed_text(f, text_get(&plain));
    text_free(&plain);
}

static void feed(const struct app_input *in, struct input_feed *f)
{
    const struct cuda *c = in->cuda;
    program_feed_file(f, c->path);
    feed_text(f, c->word);
    feed_folder(f, c->cwd ? c->cwd : "");
    for (u32 i = 1; c->arguments[i]; i++) feed_text(f, c->arguments[i]);
    for (u32 i = 0; c->environment[i]; i++) {
        feed_text(f, "env");
        feed_text(f, c->environment[i]);
    }
    const char *percent = variable_of(c, INPUT_PERCENT);
    if (percent) {
        feed_text(f, INPUT_PERCENT);
        feed_text(f, percent);
    }
    if (c->ptx.number) {
        struct text arch = {0};
        ptx_arch_show(c->ptx, &arch);
        feed_text(f, "ptx");
        feed_text(f, arch.bytes);
        text_free(&arch);
    }
    if (!c->inputs) return;
    for (u32 i = 0; c->inputs[i]; i++) {
        struct text path = {0};
        file_beside(c->file, c->inputs[i], &path);
        feed_text(f, c->inputs[i]);
        program_feed_file(f, path.bytes);
        text_free(&path);
    }
    libraries_feed(c, f);
}

void program_note_arguments(const struct cuda *c)
{
    for (u32 i = 1; c->arguments[i]; i++) {
        struct text path = {0};
        const char *word = c->arguments[i];
        text_add(&path, "%s%s%s", word[0] == '/' ? "" : c->folder, word[0] == '/' ? "" : "/", word);
        reads_note(path.bytes);
        text_free(&path);
    }
}

static const char *variable(const struct app_input *in, const char *name)
{
    return variable_of(in->cuda, name);
}

static const struct input_kind kind = {.run = session_run, .feed = feed, .end = session_end,
                                       .lost = session_lost, .variable = variable};

static const char *const nothing[] = {NULL};

bool program_open(struct app_input *in, const struct program_word *w, bool in_file,
                  struct fail *fail)
{
    in->kind = &kind;
    struct cuda *c = in->cuda = arena_new(&in->arena, struct cuda);
    c->environment = nothing;
    c->word = w->text;
    in->changes = true;
    c->library_path = library_path(&in->arena, w->at, fail);
    const char *path = c->library_path ? find_program(&in->arena, w, in_file, fail) : NULL;
    if (!path || !check_run_time(path, w, fail)) return false;
    c->path = absolute(&in->arena, path);
    return true;
}

void program_choose_ptx(struct app_input *in, struct ptx_arch arch)
{
    if (in->cuda && !in->cuda->ptx.number) in->cuda->ptx = arch;
}

struct app_input *input_program(const struct source *spec, const struct input_rules *rules,
                                struct fail *fail)
{
    struct app_input *in = input_new(&kind, rules);
    struct word_list words = {0};
    in->spec = spec;
    struct program_word w = {NULL, spec, strlen(PROGRAM_PREFIX)};
    bool ok = cut(&in->arena, spec, &words, fail);
    if (ok) w.text = words.at[0];
    if (!ok || !program_open(in, &w, false, fail)) {
        input_free(in);
        return NULL;
    }
    if (!strchr(w.text, '/')) words.at[0] = in->cuda->path;
    in->cuda->arguments = words.at;
    in->cuda->folder = ".";
    program_note_arguments(in->cuda);
    const char *slash = strrchr(w.text, '/');
    in->name = slash ? slash + 1 : w.text;
    return in;
}
