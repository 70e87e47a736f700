#include "cli/common/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/team.h"
#include "run/io/file.h"
#include "run/jobs/interrupt.h"
#include "run/jobs/processors.h"
#include "run/result/result.h"
#include "run/study/energy.h"
#include "run/study/seeds.h"
#include "table/amount.h"

static void put_to_stderr(struct printer *p, const char *bytes, size_t n)
{
    (void)p;
    fwrite(bytes, 1, n, stderr);
}

void setup_count(const struct options *o, u32 most, const char *what, struct fail *fail)
{
    if (o->operand_n <= most) return;
    const char *first = o->operands[most];
    struct source source = {COMMAND_LINE, first, strlen(first)};
    fail_at(fail, &source, 0, "%u %s, at most %u", o->operand_n, what, most);
}

/* Parses a whole number at *at and moves *at behind the number. */
static bool take_number(const char **at, u64 *out)
{
    char digits[24];
    size_t n = strspn(*at, "0123456789");
    if (!n || n >= sizeof digits) return false;
    memcpy(digits, *at, n);
    digits[n] = 0;
    *at += n;
    return whole_parse(digits, out);
}

/* Sets the range of timed launches. */
static void setup_range(const struct options *o, struct launch_range *timed, struct fail *fail)
{
    const char *text = o->kernels ? o->kernels : o->skip_kernels, *at = text;
    if (!text) return;
    struct source source = {COMMAND_LINE, text, strlen(text)};
    *timed = (struct launch_range){.first = NEVER, .last = NEVER};
    if (o->kernels && o->skip_kernels) {
        fail_plain(fail, "--kernels and --skip-kernels both choose the timed launches");
        fail_note(fail, "give only --kernels or only --skip-kernels");
    } else if (o->skip_kernels) {
        bool good = !strcmp(text, "all") || (take_number(&at, &timed->first) && !*at);
        if (!good) fail_at(fail, &source, 0, "--skip-kernels takes a number of launches, or all");
        else if (timed->first != NEVER) timed->first++;
    } else {
        bool good = take_number(&at, &timed->first);
        timed->last = timed->first;
        if (good && *at == '-') {
            at++;
            good = take_number(&at, &timed->last);
        }
        if (!good || *at || !timed->first || timed->last < timed->first)
            fail_at(fail, &source, (size_t)(at - text), "--kernels takes the first and the last "
                    "launch, counted from 1, as in 10-20, or a single launch, as in 10");
    }
}

bool setup_make(struct setup *s, const struct options *o, const char *const *policies,
                u32 policy_n, struct fail *fail)
{
    u32 before = fail->error_n;
    *s = (struct setup){0};
    interrupts_note();
    if (!o->operand_n) {
        fail_plain(fail, "expected at least one app");
        fail_note(fail, "a shipped workload (corun list workloads) or an app file, ./FILE.yaml");
    }
    setup_count(o, APPS_MAX, "apps", fail);
    if (o->instructions && o->until != UNTIL_ALL_COMPLETE) {
        fail_plain(fail, "--instructions goes with --until all-complete only");
    }
    if (o->interval && !o->csv && !o->timeline) {
        fail_plain(fail, "--interval writes snapshots to --csv or --timeline: give either option");
    }
    if (o->output_to && o->show_output) {
        fail_plain(fail, "--output-to and --show-output both choose where the programs' output "
                   "goes");
        fail_note(fail, "give only --output-to or only --show-output");
    }
    struct launch_range timed = {0};
    setup_range(o, &timed, fail);
    const struct ptx_arch ptx = setup_ptx(o, fail);
    struct gpu_threads threads = setup_sim_threads(o, (u32)o->threads, fail);
    gpu_file_open(&s->gpu, setup_gpu(o), o->set.at, o->set.n, fail);
    if (fail->error_n == before && o->energy) energy_known(&s->gpu, fail);
    if (fail->error_n != before) return false;
    s->kernel_printf.put = put_to_stderr;
    s->batch = (struct batch_setup){
        .sim = {.gpu = &s->gpu, .apps = o->operands, .app_n = o->operand_n,
                .until = (enum until)o->until, .cycles = o->cycles,
                .instructions = o->instructions, .seed = o->seed, .timed = timed,
                .host_seconds = o->host_seconds,
                .by = (enum by)o->by, .interval = o->interval,
                .skip = o->skip == SWITCH_ON, .memoize = o->memoize == SWITCH_ON,
                .lines = o->energy,
                .samples = o->blame != BLAME_OFF, .threads = threads,
                .dump = true, .dump_rule = {o->dump_to, o->allow_outside},
                .app_folder = setup_folder(o), .program_ptx = ptx,
                .program_fd = o->show_output ? STDOUT_FILENO : 0,
                .program_folder = o->output_to ? o->output_to : o->dump_to ? o->dump_to : ".",
                .watch = progress_start(&s->progress, o),
                .interrupted = interrupt_came,
                .printer = &s->kernel_printf},
        .policies = policies, .policy_n = policy_n, .from = (enum alone_from)o->alone,
        .energy = o->energy, .blame = (enum blame_how)o->blame,
        .on = (enum alone_on)o->alone_on, .threads = (u32)o->threads};
    if (!o->cycles && o->until == UNTIL_WINDOW) s->batch.sim.cycles = WINDOW_DEFAULT_CYCLES;
    return true;
}

const char *setup_gpu(const struct options *o)
{
    return o->gpu ? o->gpu : gpu_for_apps(o->operands, o->operand_n);
}

void setup_tell_gpu(const struct options *o, const struct gpu_file *gpus, u32 n, struct text *out)
{
    if (!apps_have_program(o->operands, o->operand_n)) return;
    if (!o->gpu && !o->gpus.n && !o->quiet) text_add(out, "note: %s\n", GPU_DEFAULT_CUDA_WHY);
    for (u32 g = 0; g < n; g++) {
        const char *lacks = gpu_file_lock_step(&gpus[g]);
        if (lacks) text_add(out, "warning: %s: %s\n", gpus[g].name, lacks);
    }
}

enum app_folder setup_folder(const struct options *o)
{
    return o->in_place ? FOLDER_OWN : o->first_in_place ? FOLDER_FIRST : FOLDER_NEW;
}

struct ptx_arch setup_ptx(const struct options *o, struct fail *fail)
{
    struct ptx_arch arch = {0};
    if (!o->program_ptx || ptx_arch_parse(o->program_ptx, &arch)) return arch;
    struct source source = {COMMAND_LINE, o->program_ptx, strlen(o->program_ptx)};
    fail_at(fail, &source, 0, "--ptx takes an architecture, as in 90, sm_90 or compute_90a");
    return (struct ptx_arch){0};
}

/* auto: a run that ends within so many ticks, a tenth of a second, is not worth a thread. */
enum { ALONE = 100000 };

struct gpu_threads setup_sim_threads(const struct options *o, u32 simulations,
                                     struct fail *fail)
{
    char *end;
    u32 left = max_u32(1, processors_allowed() / max_u32(simulations, 1));
    if (!strcmp(o->sim_threads, "auto")) return (struct gpu_threads){left, false, ALONE};
    unsigned long n = strtoul(o->sim_threads, &end, 10);
    if (*o->sim_threads >= '1' && *o->sim_threads <= '9' && !*end && n <= TEAM_MOST)
        return (struct gpu_threads){simulations > 1 ? min_u32((u32)n, left) : (u32)n, true, 0};
    struct source source = {COMMAND_LINE, o->sim_threads, strlen(o->sim_threads)};
    fail_at(fail, &source, 0, "--sim-threads takes a number of threads from 1 to 64, or auto");
    return (struct gpu_threads){1, true, 0};
}

void setup_free(struct setup *s) { gpu_file_free(&s->gpu); }

bool setup_outputs(const struct output *outputs, u32 n, const struct options *o, struct fail *fail)
{
    for (u32 i = 0; i < o->operand_n; i++)
        if (names_file(o->operands[i])) reads_note(o->operands[i]);
    return outputs_check(outputs, n, fail);
}

bool setup_write(const char *path, const struct text *text, struct console *c)
{
    if (strcmp(path, "-")) return file_write(path, text->bytes, text->size, &c->fail);
    text_put(&c->out, text->bytes, text->size);
    return true;
}

int setup_failed(bool compare, const struct options *o, const char *policy, u64 cycle,
                 const char *why, bool interrupted, struct console *c)
{
    struct text json = {0};
    enum sim_status how = interrupted ? SIM_INTERRUPTED : SIM_POLICY_FAILED;
    if (o->json) result_failed_json(compare, policy, how, cycle, why, &json);
    bool ok = !o->json || setup_write(o->json, &json, c);
    text_free(&json);
    return ok ? EXIT_ABNORMAL : EXIT_INPUT;
}

bool setup_table(const struct output *outputs, u32 n, const struct options *o)
{
    bool table = !o->quiet;
    for (u32 i = 0; i < n; i++) table &= !outputs[i].path || strcmp(outputs[i].path, "-");
    return table;
}

void setup_tell_outputs(const struct batch *b, const struct options *o, struct fail *fail)
{
    for (u32 r = 0; r < b->run_n; r++) {
        const struct sim *s = &b->runs[r].sim;
        for (u32 a = 0; a < s->app_n; a++) {
            if (!s->apps[a].output || (o->quiet && !s->apps[a].output_renamed)) continue;
            text_add(&fail->text, "%s", s->apps[a].name);
            if (b->setup->label) text_add(&fail->text, " under %s", b->setup->policies[r]);
            text_add(&fail->text, " wrote to %s\n", s->apps[a].output);
        }
    }
}

/* Names the policy as given by the user, because an oracle's run has the policy found by the
 * search. */
static void tell_interrupted(const struct sim *s, struct fail *fail)
{
    text_add(&fail->text, "under %s: interrupted ", s->setup->policy);
    if (s->cycles) {
        text_add(&fail->text, "in cycle %llu; all numbers are up to the interruption\n",
                 (unsigned long long)s->cycles);
    } else {
        text_add(&fail->text, "before the first cycle; no numbers\n");
    }
}

/* Reports interrupted isolated runs of shared runs that ended normally. */
static void tell_cut_alone(const struct batch *b, struct fail *fail)
{
    bool cut[APPS_MAX] = {false};
    const char *before = "interrupted in the isolated runs: no normalized IPC of ";
    for (u32 r = 0; r < b->run_n; r++) {
        enum sim_status status = b->runs[r].sim.status;
        bool ended = status == SIM_COMPLETED || status == SIM_CYCLE_LIMIT;
        for (u32 a = 0; ended && a < b->runs[r].sim.app_n; a++)
            cut[a] |= b->runs[r].alone[a].status == SIM_INTERRUPTED;
    }
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++) {
        if (!cut[a]) continue;
        text_add(&fail->text, "%s%s", before, b->runs[0].sim.apps[a].name);
        before = ", ";
    }
    if (before[0] == ',') text_add(&fail->text, "\n");
}

/* Reports process changes by policies from files. */
static void tell_changes(const struct sim *s, struct fail *fail)
{
    for (u32 i = 0; i < s->warnings.n; i++) {
        const struct warning *w = &s->warnings.at[i];
        if (sim_policy_warned(s, w)) text_add(&fail->text, "warning: %s: %s\n", w->where, w->text);
    }
}

/* Reports the refused answers of each mechanism, under its file or name. */
static void tell_refusals(const struct sim *s, struct fail *fail)
{
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        const char *joined = m->plugin.file ? m->plugin.file : m->policy->name;
        if (!s->refused[i].n) continue;
        text_add(&fail->text, "warning: policy %s: %llu answers refused or corrected:\n%s",
                 s->policy.n > 1 ? joined : s->policy.spec, (unsigned long long)s->refused[i].n,
                 s->refused[i].lines);
    }
}

/* Reports the outcome of all runs of a batch. Returns the exit status. */
static int tell_runs(const struct batch *b, struct fail *fail)
{
    int status = EXIT_DONE;
    for (u32 r = 0; r < b->run_n; r++) {
        const struct sim *s = &b->runs[r].sim;
        if (s->status != SIM_COMPLETED && status == EXIT_DONE) status = EXIT_ABNORMAL;
        if (s->status == SIM_CYCLE_LIMIT) {
            text_add(&fail->text, "cycle-limit: not all apps completed within %llu cycles\n",
                     (unsigned long long)s->cycles);
        }
        if (s->status == SIM_INTERRUPTED) {
            tell_interrupted(s, fail);
        }
        result_fault(s, &fail->text);
        tell_changes(s, fail);
        if (s->unwritten.error_n) {
            status = EXIT_INPUT;
            fail->error_n += s->unwritten.error_n;
            text_add(&fail->text, "%s", text_get(&s->unwritten.text));
        }
        tell_refusals(s, fail);
        for (u32 i = 0; i < s->app_n; i++) {
            if (s->apps[i].checked) continue;
            if (s->apps[i].own_process) {
                if (status == EXIT_DONE) status = EXIT_ABNORMAL;
                text_add(&fail->text, "%s: %s\n", s->apps[i].name, s->apps[i].checked_why);
                continue;
            }
            text_add(&fail->text, "warning: the output of %s differs from the CPU reference%s%s\n",
                     s->apps[i].name, s->apps[i].checked_why[0] ? ": " : "",
                     s->apps[i].checked_why);
        }
    }
    tell_cut_alone(b, fail);
    return status;
}

int setup_verdict(const struct options *o, const struct batch *b, struct fail *fail)
{
    setup_tell_gpu(o, b->setup->sim.gpu, 1, &fail->text);
    return tell_runs(b, fail);
}

struct repetitions {
    struct seeds_watch watch;
    int status;
    struct text told;   /* outcome of the last batch */
    struct fail *fail;
};

/* Adds the outcome of a repeated batch, under the seed, unless the outcome repeats, too. */
static void repeat_ended(struct seeds_watch *w, const struct batch *repeat)
{
    struct repetitions *all = (struct repetitions *)w;
    struct fail own = {0};
    int status = tell_runs(repeat, &own);
    if (status != EXIT_DONE && all->status != EXIT_INPUT) all->status = status;
    if (own.text.size && strcmp(text_get(&own.text), text_get(&all->told))) {
        text_add(&all->fail->text, "with seed %llu:\n%s",
                 (unsigned long long)repeat->setup->sim.seed, own.text.bytes);
    }
    all->fail->error_n += own.error_n;
    text_free(&all->told);
    all->told = own.text;
}

int setup_repeat(const struct options *o, struct batch *b, int status, struct fail *fail)
{
    struct repetitions all = {.watch = {repeat_ended}, .status = status, .fail = fail};
    struct fail own = {0};
    tell_runs(b, &own);
    all.told = own.text;
    bool ok = seeds_run(b, (u32)o->seeds, &all.watch, fail);
    text_free(&all.told);
    return ok ? all.status : EXIT_INPUT;
}
