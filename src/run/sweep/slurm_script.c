#include "run/sweep/slurm_script.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- words ---- */

static void words_take(struct command_words *w, struct text *word)
{
    const char **last = base_push(w->at, w->n, w->room);
    *last = word->bytes ? word->bytes : strdup("");
    *word = (struct text){0};
}

static void words_add(struct command_words *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void words_add(struct command_words *w, const char *format, ...)
{
    struct text word = {0};
    va_list args;
    va_start(args, format);
    text_addv(&word, format, args);
    va_end(args);
    words_take(w, &word);
}

static void words_end(struct command_words *w)
{
    const char **last = base_push(w->at, w->n, w->room);
    *last = NULL;
    w->n--;
}

void words_free(struct command_words *w)
{
    for (u32 i = 0; i < w->n; i++) free((char *)w->at[i]);
    free(w->at);
    *w = (struct command_words){0};
}

/* Splits an option at blanks; blanks within single or double quotes belong to a word. */
static bool words_split(struct command_words *w, const char *option, struct fail *fail)
{
    const char *at = option;
    while (*(at += strspn(at, " \t\n"))) {
        struct text word = {0};
        char quote = 0;
        for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
            if (quote ? *at == quote : *at == '"' || *at == '\'') quote = quote ? 0 : *at;
            else text_put(&word, at, 1);
        }
        words_take(w, &word);
        if (!quote) continue;
        struct source source = {COMMAND_LINE, option, strlen(option)};
        fail_at(fail, &source, source.size, "--sbatch has no second %c", quote);
        return false;
    }
    return true;
}

/* ---- data for the scripts ---- */

static bool find_here(struct text *out, struct fail *fail)
{
    char here[PATH_MAX];
    bool ok = getcwd(here, sizeof here);
    if (ok) text_add(out, "%s", here);
    else fail_plain(fail, "the current folder has no name: %s", strerror(errno));
    return ok;
}

/* Makes a path absolute without resolving links. */
static void absolute(const char *here, const char *path, struct text *out)
{
    if (path[0] != '/') text_add(out, "%s/", here);
    text_add(out, "%s", path);
}

static bool find_corun(struct text *out, struct fail *fail)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n <= 0) fail_plain(fail, "cannot find corun's own file: %s", strerror(errno));
    else text_put(out, path, (size_t)n);
    return n > 0;
}

bool slurm_script_open(struct slurm_script *s, const struct slurm_setup *setup, struct fail *fail)
{
    const struct sweep_setup *sweep = setup->sweep;
    const char *cache = getenv("CORUN_CACHE");
    *s = (struct slurm_script){0};
    bool ok = find_corun(&s->corun, fail) && find_here(&s->here, fail);
    text_add(&s->file, "%s", sweep->path);
    absolute(text_get(&s->here), sweep->database, &s->database);
    if (cache && cache[0]) absolute(text_get(&s->here), cache, &s->cache);
    text_add(&s->folder, "%s.chunks", text_get(&s->database));
    if (!sweep->skip) text_add(&s->flags, " --skip off");
    if (sweep->folder == FOLDER_OWN) text_add(&s->flags, " --in-place");
    if (sweep->ptx.number) {
        text_add(&s->flags, " --ptx ");
        ptx_arch_show(sweep->ptx, &s->flags);
    }
    if (sweep->retry) text_add(&s->flags, " --retry");
    if (sweep->run_seconds) {
        text_add(&s->flags, " --run-seconds %llu", (unsigned long long)sweep->run_seconds);
    }
    text_add(&s->flags, " --hook-seconds %llu", (unsigned long long)sweep->hook_seconds);
    for (u32 i = 0; ok && i < setup->option_n; i++) {
        ok = words_split(&s->options, setup->options[i], fail);
    }
    return ok;
}

void slurm_script_free(struct slurm_script *s)
{
    text_free(&s->corun);
    text_free(&s->here);
    text_free(&s->file);
    text_free(&s->database);
    text_free(&s->folder);
    text_free(&s->cache);
    text_free(&s->flags);
    words_free(&s->options);
    free(s->chunks);
}

const char *slurm_name(enum slurm_job kind)
{
    static const char *const names[] = {"isolated", "chunk", "merge"};
    return names[kind];
}

u32 slurm_tasks(const struct slurm_script *s, enum slurm_job kind)
{
    u32 n = 0;
    for (u32 i = 0; i < s->chunk_n; i++) n += s->chunks[i].wanted;
    if (!n || kind == SLURM_CHUNK) return n;
    return kind == SLURM_ALONE ? s->alone_n : 1;
}

/* ---- scripts ---- */

void slurm_path(const struct slurm_script *s, enum slurm_job kind, struct text *out)
{
    text_add(out, "%s/%s.sh", text_get(&s->folder), slurm_name(kind));
}

void slurm_chunk_path(const struct slurm_script *s, u32 chunk, struct text *out)
{
    text_add(out, "%s/%u.db", text_get(&s->folder), chunk + 1);
}

static void text_name(const char *name, const struct text *value, struct text *out)
{
    text_add(out, "%s=", name);
    text_quote(out, text_get(value));
    text_add(out, "\n");
}

/* Writes the head of a script. The script changes to the folder of the corun command, because names
 * of points contain file names relative to the folder. */
static void text_head(const struct slurm_script *s, const char *what, struct text *out)
{
    text_add(out, "#!/bin/bash\n# %s Written by corun sweep --slurm.\n", what);
    text_name("corun", &s->corun, out);
    text_name("file", &s->file, out);
    text_name("results", &s->database, out);
    text_name("chunks", &s->folder, out);
    if (s->cache.size) text_name("export CORUN_CACHE", &s->cache, out);
    text_add(out, "cd -- ");
    text_quote(out, text_get(&s->here));
    text_add(out, " || exit 2\n");
}

static void text_alone(const struct slurm_script *s, struct text *out)
{
    text_head(s, "Isolated runs needed by several points, into the cache.", out);
    text_add(out, "exec \"$corun\" sweep --isolated-only --progress none%s \\\n"
             "    --shard \"$SLURM_ARRAY_TASK_ID/%u\" --threads \"${SLURM_CPUS_PER_TASK:-1}\" \\\n"
             "    -- \"$file\"\n", text_get(&s->flags), s->alone_n);
}

static void text_chunk(const struct slurm_script *s, struct text *out)
{
    text_head(s, "A chunk into a separate database; a repeated chunk continues.", out);
    text_add(out, "chunk=$chunks/$SLURM_ARRAY_TASK_ID\n"
             "rm -f -- \"$chunk.done\"\n"
             "parts=(");
    for (u32 i = 0; i < s->chunk_n; i++) {
        const struct sweep_shard *shard = &s->chunks[i].shard;
        text_add(out, "%s%u-%u/%u", i ? " " : "", shard->first, shard->last, shard->parts);
    }
    text_add(out, ")\n"
             "\"$corun\" sweep -o \"$chunk.db\" --known \"$results\" --progress none%s \\\n"
             "    --shard \"${parts[SLURM_ARRAY_TASK_ID - 1]}\" \\\n"
             "    --threads \"${SLURM_CPUS_PER_TASK:-1}\" -- \"$file\"\n"
             "status=$?\n"
             "[ $status -gt 1 ] || : >\"$chunk.done\"\n"
             "exit $status\n", text_get(&s->flags));
}

static void text_merge(const struct slurm_script *s, struct text *out)
{
    text_head(s, "Merges the chunks' databases; prints the unfinished chunks.", out);
    text_add(out, "cd -- \"$chunks\" || exit 2\nshopt -s nullglob\nunfinished=\nfor chunk in");
    for (u32 i = 0; i < s->chunk_n; i++) {
        if (s->chunks[i].wanted) text_add(out, " %u", i + 1);
    }
    text_add(out, "; do\n"
             "    [ -e \"$chunk.done\" ] || unfinished=\"$unfinished $chunk\"\n"
             "done\n"
             "for database in *.db; do\n"
             "    \"$corun\" merge \"$database\" -o \"$results\"\n"
             "    if [ $? -le 1 ]; then rm -f -- \"$database\"\n"
             "    else unfinished=\"$unfinished $database\"\n"
             "    fi\n"
             "done\n"
             "echo \"${unfinished:+unfinished chunks:$unfinished}\" >merged.new\n"
             "rm -f -- *.done\n"
             "mv merged.new merged\n"
             "[ -z \"$unfinished\" ]\n");
}

void slurm_text(const struct slurm_script *s, enum slurm_job kind, struct text *out)
{
    if (kind == SLURM_ALONE) text_alone(s, out);
    else if (kind == SLURM_CHUNK) text_chunk(s, out);
    else text_merge(s, out);
}

/* ---- sbatch ---- */

/* Appends the array of wanted chunks, as in "1-3,7". */
static void add_array(const struct slurm_script *s, struct command_words *out)
{
    struct text list = {0};
    for (u32 i = 0, end; i < s->chunk_n; i = end + 1) {
        for (end = i; end < s->chunk_n && s->chunks[end].wanted; end++) continue;
        if (end == i) continue;
        text_add(&list, "%s%u", list.size ? "," : "", i + 1);
        if (end > i + 1) text_add(&list, "-%u", end);
    }
    words_add(out, "--array=%s", text_get(&list));
    text_free(&list);
}

/* The user's options come first: in case of a conflict, sbatch uses the last value, here the
 * jobs'. */
void slurm_command(const struct slurm_script *s, enum slurm_job kind, const char *after,
                   struct command_words *out)
{
    words_add(out, "sbatch");
    words_add(out, "--cpus-per-task=1");
    for (u32 i = 0; i < s->options.n; i++) words_add(out, "%s", s->options.at[i]);
    words_add(out, "--parsable");
    words_add(out, "--requeue");
    words_add(out, "--open-mode=append");
    words_add(out, "--job-name=corun-%s", slurm_name(kind));
    words_add(out, "--chdir=%s", text_get(&s->folder));
    words_add(out, "--output=%s%s.log", slurm_name(kind), kind == SLURM_MERGE ? "" : "-%a");
    if (kind == SLURM_ALONE) words_add(out, "--array=1-%u", s->alone_n);
    if (kind == SLURM_CHUNK) add_array(s, out);
    if (after) words_add(out, "--dependency=afterany:%s", after);
    struct text path = {0};
    slurm_path(s, kind, &path);
    words_take(out, &path);
    words_end(out);
}
