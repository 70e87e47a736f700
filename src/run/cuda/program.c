#include "run/cuda/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/cuda/binary.h"
#include "run/cuda/session.h"
#include "run/io/file.h"

/* ---- where the libraries are ---- */

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

/* Beside the binary where it was built, below the prefix where it was installed. */
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

/* ---- the argument ---- */

bool names_program(const char *argument)
{
    return !strncmp(argument, PROGRAM_PREFIX, strlen(PROGRAM_PREFIX));
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

struct words {
    const char **at;
    u32 n, room;
};

/* One word from *at on, which moves behind it. false: a quote that does not end. */
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

static bool cut(struct arena *arena, const struct source *spec, struct words *w, struct fail *fail)
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
        else fail_at(fail, spec, start, "a quote that does not end");
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

/* As a shell finds it. NULL: an error. */
static const char *find_program(struct arena *arena, const char *name, const struct source *spec,
                                struct fail *fail)
{
    const char *path = getenv("PATH"), *found = NULL;
    if (strchr(name, '/')) {
        if (can_run(name)) return name;
        fail_at(fail, spec, strlen(PROGRAM_PREFIX), "cannot run %s: %s", name,
                access(name, F_OK) ? strerror(errno) : "it is no program");
        return NULL;
    }
    for (const char *at = path ? path : ""; *at && !found;) {
        size_t n = strcspn(at, ":");
        struct text one = {0};
        text_add(&one, "%.*s/%s", (int)n, at, name);
        if (can_run(text_get(&one))) found = arena_text(arena, one.bytes, one.size);
        text_free(&one);
        at += n + (at[n] == ':');
    }
    if (!found) {
        fail_at(fail, spec, strlen(PROGRAM_PREFIX), "there is no program '%s' on PATH", name);
        fail_note(fail, "one in this folder is ./%s", name);
    }
    return found;
}

/* NVIDIA's static run time asks the driver for tables that nobody has described. */
static bool check_run_time(const char *path, const struct source *spec, struct fail *fail)
{
    struct text why = {0};
    char *bytes = NULL;
    size_t size = 0;
    bool foreign = file_read(path, &bytes, &size, &why) && binary_has_foreign_run_time(bytes, size);
    free(bytes);
    text_free(&why);
    if (!foreign) return true;
    fail_at(fail, spec, strlen(PROGRAM_PREFIX), "%s holds NVIDIA's static run time, which needs a "
            "driver", path);
    fail_note(fail, "link it again, with nvcc's -cudart shared (CMake: "
              "CMAKE_CUDA_RUNTIME_LIBRARY=Shared) or with NVCC_PREPEND_FLAGS=\"-L$(corun cuda "
              "--libdir 13)\"");
    return false;
}

static void feed(const struct app_input *in, struct input_feed *f)
{
    const struct cuda *c = in->cuda;
    struct text why = {0};
    char *bytes = NULL;
    size_t size = 0;
    if (file_read(c->arguments[0], &bytes, &size, &why)) input_feed_part(f, bytes, size);
    free(bytes);
    text_free(&why);
    for (u32 i = 0; c->arguments[i]; i++)
        input_feed_part(f, c->arguments[i], strlen(c->arguments[i]));
}

static const struct input_kind kind = {.run = session_run, .feed = feed, .end = session_end,
                                       .lost = session_lost, .changes = true};

struct app_input *input_program(const struct source *spec, u64 seed, struct fail *fail)
{
    struct app_input *in = input_new(&kind, seed);
    struct words words = {0};
    struct cuda *c = in->cuda = arena_new(&in->arena, struct cuda);
    in->spec = spec;
    c->library_path = library_path(&in->arena, spec, fail);
    const char *path = NULL;
    if (c->library_path && cut(&in->arena, spec, &words, fail))
        path = find_program(&in->arena, words.at[0], spec, fail);
    if (!path || !check_run_time(path, spec, fail)) {
        input_free(in);
        return NULL;
    }
    words.at[0] = path;
    c->arguments = words.at;
    const char *slash = strrchr(path, '/');
    in->name = slash ? slash + 1 : path;
    return in;
}
