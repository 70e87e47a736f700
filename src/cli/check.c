/* corun check: runs the contract suite on a policy; prints a line per property, with the reason for
 * each violation. */
#include <stdlib.h>
#include <string.h>
#include "cli/common/guarded.h"
#include "cli/common/setup.h"
#include "run/jobs/processors.h"
#include "run/check/contract.h"
#include "run/jobs/interrupt.h"
#include "run/result/result_writer.h"

static void show_why(const struct text *why, struct text *out)
{
    for (const char *at = text_get(why); *at;) {
        size_t n = strcspn(at, "\n");
        text_add(out, "                       %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static void show_lines(const struct contract *c, const struct contract_setup *s, struct text *out)
{
    u32 count[3] = {0};
    text_add(out, "%s on %s\n\n", s->policy->spec, s->gpu->name);
    for (u32 p = 0; p < PROPERTY_N; p++) {
        enum verdict v = c->property[p].verdict;
        count[v]++;
        text_add(out, "  %-8s  %-9s  %s\n", verdict_name(v), property_rows[p].name,
                 property_rows[p].sentence);
        show_why(&c->property[p].why, out);
    }
    text_add(out, "\n%u hold, %u broken, %u untested, in %u scenario%s\n",
             count[VERDICT_HOLDS], count[VERDICT_BROKEN], count[VERDICT_UNTESTED], c->run_n,
             c->run_n == 1 ? "" : "s");
    if (c->refused_n)
        text_add(out, "%u more not run, because the policy refused: %s\n", c->refused_n,
                 text_get(&c->refused));
}

static void show_json(const struct contract *c, const struct contract_setup *s, struct text *out)
{
    struct result_writer w = {.json.out = out};
    result_open(&w, OBJECT_check, '{');
    result_put_schema(&w, KEY_check_schema);
    result_put_version(&w);
    result_put_text(&w, KEY_check_policy, s->policy->spec);
    result_put_text(&w, KEY_check_gpu, s->gpu->name);
    result_put_bool(&w, KEY_check_right, !contract_broken(c) && !c->missed_n);
    result_put_bool(&w, KEY_check_interrupted, c->missed_n);
    result_put_integer(&w, KEY_check_scenarios, c->run_n);
    result_put_text(&w, KEY_check_refuses, c->refused.size ? text_get(&c->refused) : NULL);
    result_open(&w, KEY_check_properties, '[');
    for (u32 p = 0; p < PROPERTY_N; p++) {
        result_open(&w, OBJECT_property, '{');
        result_put_text(&w, KEY_property_name, property_rows[p].name);
        result_put_text(&w, KEY_property_sentence, property_rows[p].sentence);
        result_put_text(&w, KEY_property_verdict, verdict_name(c->property[p].verdict));
        const struct text *why = &c->property[p].why;
        result_put_text(&w, KEY_property_why, why->size ? text_get(why) : NULL);
        result_close(&w, '}');
    }
    result_close(&w, ']');
    result_close(&w, '}');
    text_put(out, "\n", 1);
}

static int show(const struct options *o, const struct output *output, const struct contract *c,
                const struct contract_setup *s, struct console *console)
{
    int status = contract_broken(c) ? EXIT_ABNORMAL : EXIT_DONE;
    struct text json = {0};
    console->keep = true;
    if (o->json) show_json(c, s, &json);
    if (o->json && !setup_write(o->json, &json, console)) status = EXIT_INPUT;
    if (setup_table(output, 1, o)) show_lines(c, s, &console->out);
    if (c->missed_n)
        text_add(&console->fail.text, "interrupted: %u of %u scenarios are missing\n", c->missed_n,
                 c->scenario_n);
    text_free(&json);
    return status;
}

static const char *named_gpu(const struct options *o) { return o->gpu ? o->gpu : GPU_DEFAULT; }

static bool gpu_open_lrr(struct gpu_file *gpu, const struct options *o, struct fail *fail)
{
    const char **sets = base_alloc((o->set.n + 1) * sizeof *sets);
    for (u32 i = 0; i < o->set.n; i++) sets[i] = o->set.at[i];
    sets[o->set.n] = "sm.scheduler=lrr";
    bool ok = gpu_file_open(gpu, named_gpu(o), sets, o->set.n + 1, fail);
    free(sets);
    return ok;
}

static int check_one(const struct guarded *g, const struct options *o, struct console *console)
{
    struct fail *fail = &console->fail;
    struct gpu_file gpu = {0}, lrr = {0};
    struct mechanisms policy = {0};
    struct contract c = {0};
    int status = EXIT_INPUT;
    const struct output output = output_option("--json", o->json);
    bool ok = gpu_file_open(&gpu, named_gpu(o), o->set.at, o->set.n, fail) &&
              gpu_open_lrr(&lrr, o, fail) &&
              mechanisms_load(&policy, g->policies[0], console->hook_call, fail) &&
              setup_outputs(&output, 1, o, fail);
    struct contract_setup setup = {.gpu = &gpu, .gpu_lrr = &lrr, .policy = &policy,
                                   .cycles = o->check_cycles,
                                   .seed = o->seed, .hook_seconds = (double)o->check_hook_seconds,
                                   .interrupted = interrupt_came,
                                   .processes = o->check_processes ? (u32)o->check_processes
                                                                   : processors_allowed()};
    interrupts_note();
    if (ok && contract_run(&c, &setup, fail)) {
        if (c.run_n || c.missed_n) status = show(o, &output, &c, &setup, console);
        else fail_plain(fail, "the policy refused all runs: %s", text_get(&c.refused));
    }
    contract_free(&c);
    mechanisms_free(&policy);
    gpu_file_free(&lrr);
    gpu_file_free(&gpu);
    return status;
}

static int check_lost(const struct options *o, const char *policy, u64 cycle, const char *why,
                      bool interrupted, struct console *console)
{
    struct contract c = {0};
    struct text json = {0};
    const struct gpu_file gpu = {.name = named_gpu(o)};
    const struct mechanisms named = {.spec = policy};
    const struct contract_setup setup = {.gpu = &gpu, .policy = &named};
    (void)cycle;
    if (!o->json || interrupted) return EXIT_ABNORMAL;
    contract_lost(&c, why);
    show_json(&c, &setup, &json);
    bool ok = setup_write(o->json, &json, console);
    text_free(&json);
    contract_free(&c);
    return ok ? EXIT_ABNORMAL : EXIT_INPUT;
}

int command_check(const struct options *o, struct console *c)
{
    if (o->operand_n != 1) {
        fail_plain(&c->fail, "expected one policy");
        fail_note(&c->fail, "a policy (corun list policies), written as for --policy of corun run, "
                            "or a file, ./FILE.c");
        return EXIT_INPUT;
    }
    const struct guarded g = {o->operands, 1, check_one, check_lost, false};
    return guarded_run(&g, o, c);
}
