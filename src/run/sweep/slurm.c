#include "run/sweep/slurm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "run/io/file.h"
#include "run/jobs/interrupt.h"
#include "run/jobs/seconds.h"
#include "run/jobs/spawn.h"
#include "run/sweep/merge.h"
#include "run/sweep/slurm_script.h"

/* Minimum points per chunk; maximum chunks per processor. */
enum { POINTS_OF_CHUNK = 4, CHUNKS_OF_PROCESSOR = 4 };
enum { QUEUE_SECONDS = 10, COUNT_SECONDS = 1, POLL_NS = 200000000 };

struct slurm {
    const struct slurm_setup *setup;
    struct fail *fail;
    struct slurm_script script;
    struct text job_file;    /* file with the job ids, a line each */
    struct text merged;      /* file written by the last job; names unfinished chunks */
    struct sweep_look look;
    u32 processors;
};

static void slurm_close(struct slurm *s)
{
    slurm_script_free(&s->script);
    text_free(&s->job_file);
    text_free(&s->merged);
    sweep_look_free(&s->look);
}

static bool slurm_open(struct slurm *s, const struct slurm_setup *setup, struct fail *fail)
{
    *s = (struct slurm){.setup = setup, .fail = fail};
    if (!slurm_script_open(&s->script, setup, fail)) return false;
    text_add(&s->job_file, "%s/jobs", text_get(&s->script.folder));
    text_add(&s->merged, "%s/merged", text_get(&s->script.folder));
    return true;
}

/* ---- queries to Slurm ---- */

static bool ask(struct slurm *s, const char *const *arguments, struct text *out)
{
    struct text why = {0};
    int status = spawn_wait(arguments, NULL, out, &why);
    while (why.size && why.bytes[why.size - 1] == '\n') why.bytes[--why.size] = 0;
    if (status) {
        fail_plain(s->fail, "%s failed: %s", arguments[0],
                   why.size ? why.bytes : "no message");
        if (status < 0) fail_note(s->fail, "run the command on a host that can submit jobs");
    }
    text_free(&why);
    return !status;
}

/* Finds out whether jobs of the last submission are queued or running, and how many of their tasks
 * run. */
static bool in_queue(struct slurm *s, bool *there, u32 *running)
{
    struct text queue = {0}, why = {0};
    char *jobs = NULL, *rest = NULL;
    size_t size = 0;
    *there = false;
    *running = 0;
    if (!file_read(text_get(&s->job_file), &jobs, &size, &why)) size = 0;
    jobs = base_realloc(jobs, size + 1);
    jobs[size] = 0;
    bool ok = !size || ask(s, (const char *const[]){"squeue", "--me", "--noheader",
                                                    "--format= %F %t ", NULL}, &queue);
    for (char *job = strtok_r(jobs, "\n", &rest); ok && job; job = strtok_r(NULL, "\n", &rest)) {
        struct text word = {0};
        text_add(&word, " %s ", job);
        for (const char *at = text_get(&queue); (at = strstr(at, word.bytes)); at++) {
            *there = true;
            *running += !strncmp(at + word.size, "R ", 2);
        }
        text_free(&word);
    }
    free(jobs);
    text_free(&queue);
    text_free(&why);
    return ok;
}

/* Reads the number of processors from sinfo ("allocated/idle/other/total"). Without Slurm, a
 * default of 16 lets --dry-run show scripts. */
static u32 ask_processors(void)
{
    struct text out = {0}, why = {0};
    unsigned total = 0;
    const char *const arguments[] = {"sinfo", "--noheader", "--format=%C", NULL};
    if (!spawn_wait(arguments, NULL, &out, &why)) {
        const char *last = strrchr(text_get(&out), '/');
        total = last ? (unsigned)strtoul(last + 1, NULL, 10) : 0;
    }
    text_free(&out);
    text_free(&why);
    return total ? total : 16;
}

/* ---- missing points ---- */

static u32 chunks_for(const struct slurm *s, u32 n)
{
    u32 most = min_u32(CHUNKS_OF_PROCESSOR * s->processors, SLURM_CHUNKS_MAX);
    return max_u32(min_u32(n / POINTS_OF_CHUNK, most), 1);
}

/* Divides the parts of the sweep into chunks of decreasing length. Chunks form rounds with about as
 * many chunks as processors; a chunk has two parts less than a chunk of the round before, down to
 * one part. Long first chunks save waiting for Slurm between two chunks; short last chunks let all
 * processors finish at about the same time. */
static void deal_chunks(struct slurm_script *script, u32 processors)
{
    u32 n = script->chunk_n, parts = 0;
    u32 rounds = max_u32(min_u32(n / processors, CHUNKS_OF_PROCESSOR), 1);
    script->chunks = base_alloc(n * sizeof *script->chunks);
    for (u32 i = 0; i < n; i++) {
        u32 first = parts + 1;
        parts += 2 * (rounds - i * rounds / n) - 1;
        script->chunks[i] = (struct slurm_chunk){.shard = {.first = first, .last = parts}};
    }
    for (u32 i = 0; i < n; i++) script->chunks[i].shard.parts = parts;
}

/* Selects the chunks with missing points. */
static void choose_chunks(struct slurm *s)
{
    const struct sweep_look *look = &s->look;
    struct slurm_script *script = &s->script;
    s->processors = ask_processors();
    script->chunk_n = s->setup->chunks ? s->setup->chunks : chunks_for(s, look->count.points);
    script->alone_n = look->count.alone ? chunks_for(s, look->count.alone) : 0;
    deal_chunks(script, s->processors);
    for (u32 i = 0; i < look->missing_n; i++) {
        u32 part = look->missing[i] % script->chunks[0].shard.parts + 1;
        struct slurm_chunk *chunk = script->chunks;
        while (part > chunk->shard.last) chunk++;
        chunk->wanted = true;
    }
}

/* Merges into RESULTS.db the chunk databases left in the folder by an aborted merge job or a failed
 * node. A database that cannot be merged stays for the chunk's next job. */
static void merge_left(struct slurm *s)
{
    for (u32 i = 0; i < SLURM_CHUNKS_MAX; i++) {
        struct text path = {0};
        struct fail fail = {0};
        struct merge_count count;
        slurm_chunk_path(&s->script, i, &path);
        const char *const paths[] = {path.bytes};
        if (!access(path.bytes, F_OK) &&
            merge_run(paths, 1, text_get(&s->script.database), &count, &fail)) unlink(path.bytes);
        fail_free(&fail);
        text_free(&path);
    }
}

/* ---- submission ---- */

static bool submit_one(struct slurm *s, enum slurm_job kind, const char *after, struct text *job)
{
    struct command_words words = {0};
    slurm_command(&s->script, kind, after, &words);
    bool ok = ask(s, words.at, job);
    if (ok) job->bytes[job->size = strspn(text_get(job), "0123456789")] = 0;
    if (ok && !job->size) {
        fail_plain(s->fail, "sbatch --parsable printed no job number");
        ok = false;
    }
    words_free(&words);
    return ok;
}

static bool write_scripts(struct slurm *s)
{
    bool ok = !mkdir(text_get(&s->script.folder), 0777) || errno == EEXIST;
    if (!ok) {
        fail_plain(s->fail, "cannot make %s: %s", text_get(&s->script.folder), strerror(errno));
    }
    for (enum slurm_job kind = 0; ok && kind < SLURM_JOB_N; kind++) {
        struct text path = {0}, text = {0};
        slurm_path(&s->script, kind, &path);
        slurm_text(&s->script, kind, &text);
        ok = file_write(path.bytes, text.bytes, text.size, s->fail);
        text_free(&path);
        text_free(&text);
    }
    return ok;
}

/* Submits all jobs. Each job id is stored immediately: a job without a stored id would be submitted
 * again. */
static bool submit_all(struct slurm *s, struct text *out)
{
    struct text jobs = {0}, last = {0};
    bool ok = write_scripts(s);
    if (ok) unlink(text_get(&s->merged));
    for (enum slurm_job kind = 0; ok && kind < SLURM_JOB_N; kind++) {
        struct text job = {0};
        u32 tasks = slurm_tasks(&s->script, kind);
        if (!tasks) continue;
        ok = submit_one(s, kind, last.bytes, &job);
        if (ok) {
            text_add(&jobs, "%s\n", job.bytes);
            ok = file_write(text_get(&s->job_file), jobs.bytes, jobs.size, s->fail);
            text_add(out, "job %s: %s, %u task%s\n", job.bytes, slurm_name(kind), tasks,
                     tasks == 1 ? "" : "s");
            text_free(&last);
            last = job;
        } else {
            text_free(&job);
        }
    }
    if (!ok && last.size) fail_note(s->fail, "submitted already: job %s", last.bytes);
    text_free(&jobs);
    text_free(&last);
    return ok;
}

bool slurm_show(const struct slurm_setup *setup, struct text *out, struct fail *fail)
{
    struct slurm s;
    bool ok = slurm_open(&s, setup, fail) && sweep_look(setup->sweep, false, &s.look, fail);
    if (ok) choose_chunks(&s);
    const char *after = NULL;
    for (enum slurm_job kind = 0; ok && kind < SLURM_JOB_N; kind++) {
        struct command_words words = {0};
        if (!slurm_tasks(&s.script, kind)) continue;
        slurm_command(&s.script, kind, after, &words);
        text_add(out, "# ---- %s\n#", slurm_name(kind));
        for (u32 i = 0; i < words.n; i++) {
            text_add(out, " ");
            text_quote(out, words.at[i]);
        }
        text_add(out, "\n");
        slurm_text(&s.script, kind, out);
        after = "JOB"; /* stands for the id of the preceding job */
        words_free(&words);
    }
    slurm_close(&s);
    return ok;
}

/* Merges leftover chunk databases, then submits the missing points. */
static bool submit_missing(struct slurm *s, struct text *out)
{
    const struct sweep_look *look = &s->look;
    merge_left(s);
    if (!sweep_look(s->setup->sweep, true, &s->look, s->fail)) return false;
    if (look->count.damaged) {
        fail_plain(s->fail, "%s is damaged: cannot merge into a damaged database",
                   s->setup->sweep->database);
        fail_note(s->fail, "repeat the command with --repair to run damaged points again");
        return false;
    }
    if (!look->missing_n) {
        unlink(text_get(&s->job_file));
        text_add(out, "nothing submitted: all %u points are done\n", look->count.points);
        return true;
    }
    choose_chunks(s);
    text_add(out, "%u of %u points are missing\n", look->missing_n, look->count.points);
    return submit_all(s, out);
}

bool slurm_submit(const struct slurm_setup *setup, struct sweep_count *count, struct text *out,
                  struct fail *fail)
{
    struct slurm s;
    bool there;
    bool ok = slurm_open(&s, setup, fail) && in_queue(&s, &there, &(u32){0});
    /* The last job writes the file `merged` while Slurm still lists the job as running. */
    if (ok && there && access(text_get(&s.merged), F_OK)) {
        text_add(out, "nothing submitted: jobs of an earlier command are in the queue\n");
        ok = sweep_look(setup->sweep, false, &s.look, fail);
    } else {
        ok = ok && submit_missing(&s, out);
    }
    *count = s.look.count;
    slurm_close(&s);
    return ok;
}

/* ---- waiting ---- */

/* Counts the points in the chunk databases. A database that is busy keeps its previous count. */
static u32 count_points(const struct slurm *s, u32 *of_chunk)
{
    u32 sum = 0;
    for (u32 i = 0; i < SLURM_CHUNKS_MAX; i++) {
        struct text path = {0};
        u32 n;
        slurm_chunk_path(&s->script, i, &path);
        if (!access(path.bytes, F_OK) && store_peek(path.bytes, &n)) of_chunk[i] = n;
        sum += of_chunk[i];
        text_free(&path);
    }
    return sum;
}

/* Reports progress until the last job has ended. The file `merged` shows the end; the queue is
 * polled rarely, because each query burdens the Slurm daemon. */
static bool watch(struct slurm *s, struct sweep_count *n)
{
    struct sweep_watch *to = s->setup->sweep->watch;
    u32 of_chunk[SLURM_CHUNKS_MAX] = {0}, missing = n->points - n->there;
    double started = seconds_now(), counted = 0, asked = 0;
    bool ok = true, left = true;
    while (ok && left && !interrupt_came() && access(text_get(&s->merged), F_OK)) {
        double now = seconds_now();
        if (now - asked >= QUEUE_SECONDS) {
            ok = in_queue(s, &left, &n->running);
            asked = now;
        }
        if (to && now - counted >= COUNT_SECONDS) {
            n->made = min_u32(count_points(s, of_chunk), missing);
            n->seconds = now - started;
            double rate = n->made / n->seconds;
            n->left_seconds = n->made ? (missing - n->made) / rate : (double)NAN;
            to->tell(to, n);
            counted = now;
        }
        nanosleep(&(struct timespec){0, POLL_NS}, NULL);
    }
    return ok;
}

static void name_unfinished(struct slurm *s, struct text *out)
{
    struct text why = {0};
    char *bytes = NULL;
    size_t size;
    if (file_read(text_get(&s->merged), &bytes, &size, &why)) {
        text_put(out, bytes, size);
        free(bytes);
    } else {
        text_add(out, "the last job ended without merging\n");
    }
    text_add(out, "completed points are kept; errors are in %s/*.log; repeat the command to "
             "continue\n",
             text_get(&s->script.folder));
    text_free(&why);
}

bool slurm_wait(const struct slurm_setup *setup, struct sweep_count *count, struct text *out,
                struct fail *fail)
{
    struct slurm s;
    struct sweep_setup end = *setup->sweep;
    double started = seconds_now();
    u32 there = count->there;
    end.retry = false; /* points that failed again count as present */
    bool ok = slurm_open(&s, setup, fail) && watch(&s, count) &&
              sweep_look(&end, false, &s.look, fail);
    *count = s.look.count;
    count->made = count->there - min_u32(there, count->there);
    count->there -= count->made;
    count->seconds = seconds_now() - started;
    if (interrupt_came()) text_add(out, "the jobs continue; repeat the command to follow the "
                                   "jobs\n");
    else if (ok && s.look.missing_n) name_unfinished(&s, out);
    slurm_close(&s);
    return ok;
}
