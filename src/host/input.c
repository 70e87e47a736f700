#include "host/input.h"

#include <stdlib.h>
#include <string.h>

#include "host/name/kernel_name.h"
#include "host/number.h"
#include "ptx/ptx.h"

struct input_rules input_rules_of(const struct machine *machine, u64 seed)
{
    const struct rational *capability = &machine->host.capability;
    struct input_rules rules = {.seed = seed,
                                .contract = machine->exec.contract == CONTRACT_PTXAS,
                                .capability = (u32)(10 * capability->num / capability->den)};
    if (machine->exec.expand == EXPAND_PTXAS) rules.expand = rules.capability;
    if (machine->exec.registers == ESTIMATE_PTXAS)
        rules.estimate = max_u32(machine->sm.registers / machine->sm.threads / 8 * 8, 8);
    return rules;
}

void input_rules_apply(const struct input_rules *rules, struct module *m)
{
    if (rules->contract) ptx_contract(m);
    ptx_expand(m, rules->expand);
    ptx_estimate(m, rules->estimate, rules->capability);
}

bool input_module(struct app_input *in, struct fail *fail)
{
    in->module = in->more_ptx ? ptx_link(in->more_ptx, in->ptx_n, &in->arena, fail)
                              : ptx_parse(in->ptx, &in->arena, fail);
    if (!in->module) return false;
    input_rules_apply(&in->rules, in->module);
    in->kernels = arena_array(&in->arena, struct host_kernel, ptx_kernel_n(in->module));
    return true;
}

/* Adds a note that names the app file's use of the kernel, because the error itself lies in the
 * PTX. */
static void note_user(const char *name, const struct source *at, size_t offset, struct fail *fail)
{
    u32 line, column;
    if (!at) return;
    source_position(at, offset, &line, &column);
    fail_note(fail, "kernel '%s' is used in %s, line %u", name, at->name, line);
}

bool input_lower(struct host_kernel *k, const struct module *m, const char *file, u32 kernel,
                 struct arena *arena, struct fail *fail)
{
    struct program *p = ptx_lower(m, kernel, arena, fail);
    bool bound = p && exec_bind(p);
    if (p && !bound) {
        fail_plain(fail, "%s: kernel %s has an instruction that cannot be executed", file,
                   ptx_kernel_name(m, kernel));
    }
    if (!bound) return false;
    if (k->code_registers) {
        p->registers = k->code_registers;
        p->registers_source = REGISTERS_CODE;
        p->waiting_registers = min_u32(p->waiting_registers, p->registers);
    }
    k->program = p;
    if (!k->registers) k->registers = p->registers;
    return true;
}

struct host_kernel *input_kernel(struct app_input *in, const char *name, const struct source *at,
                                 size_t offset, struct fail *fail)
{
    u32 kernel = kernel_find(in->module, in->ptx->name, name, at, offset, fail);
    if (kernel == UINT32_MAX) return NULL;
    struct host_kernel *k = &in->kernels[kernel];
    if (in->registers) k->registers = in->registers;
    if (k->program || input_lower(k, in->module, in->ptx->name, kernel, &in->arena, fail)) return k;
    note_user(name, at, offset, fail);
    return NULL;
}

struct app_input *input_new(const struct input_kind *kind, const struct input_rules *rules)
{
    struct app_input *in = base_alloc(sizeof *in);
    arena_init(&in->arena);
    in->arena.what = "a program and its input";
    in->kind = kind;
    in->rules = *rules;
    return in;
}

void input_free(struct app_input *in)
{
    if (!in) return;
    arena_free(&in->arena);
    free(in);
}

const char *input_name(const struct app_input *in) { return in->name; }

u64 input_start(const struct app_input *in) { return in->start; }

s32 input_priority(const struct app_input *in) { return in->priority; }

bool input_priority_read(struct app_input *in, const char *value, const struct source *at,
                         size_t offset, struct fail *fail)
{
    struct number n = {0};
    struct text why = {0};
    bool good = number_parse(value, strlen(value), &n, &why) && !n.fraction &&
                n.magnitude <= INPUT_PRIORITY_MOST;
    text_free(&why);
    in->priority = !good ? 0 : n.negative ? -(s32)n.magnitude : (s32)n.magnitude;
    if (!good)
        fail_at(fail, at, offset, "priority must be a whole number from -%d (first) to %d",
                INPUT_PRIORITY_MOST, INPUT_PRIORITY_MOST);
    return good;
}

const char *input_range(const struct app_input *in) { return in->range; }

const struct arrivals *input_arrivals(const struct app_input *in)
{
    return in->arrivals.kind ? &in->arrivals : NULL;
}

bool input_draws(const struct app_input *in)
{
    return in->draws || in->arrivals.kind == ARRIVALS_POISSON;
}

bool input_fits(const struct app_input *in, const struct app_machine *machine, struct fail *fail)
{
    return !in->kind->fits || in->kind->fits(in, machine, fail);
}

void input_feed_part(struct input_feed *f, const void *bytes, size_t n)
{
    u64 size = n;
    f->add(f->to, &size, sizeof size);
    if (n) f->add(f->to, bytes, n);
}

static void feed_arrivals(const struct arrivals *a, struct input_feed *f)
{
    const u64 numbers[] = {a->kind, a->rate.num, a->rate.den, a->clients, a->seeded, a->seed,
                           a->requests, a->warmup, a->deadline};
    if (!a->kind) return;
    input_feed_part(f, numbers, sizeof numbers);
    input_feed_part(f, a->times, a->time_n * sizeof *a->times);
}

void input_feed(const struct app_input *in, void (*add)(void *to, const void *bytes, size_t n),
                void *to)
{
    struct input_feed f = {add, to};
    input_feed_part(&f, in->name, strlen(in->name));
    input_feed_part(&f, &in->rules.seed, sizeof in->rules.seed);
    if (in->ptx) input_feed_part(&f, in->ptx->text, in->ptx->size);
    for (u32 i = 1; i < in->ptx_n; i++)
        input_feed_part(&f, in->more_ptx[i]->text, in->more_ptx[i]->size);
    feed_arrivals(&in->arrivals, &f);
    if (in->range) input_feed_part(&f, in->range, strlen(in->range));
    in->kind->feed(in, &f);
}

u32 input_dump_n(const struct app_input *in) { return in->kind->dump_n ? in->kind->dump_n(in) : 0; }

const char *input_variable(const struct app_input *in, const char *name)
{
    return in->kind->variable ? in->kind->variable(in, name) : NULL;
}

void input_dump(const struct app_input *in, u32 index, struct input_dump *out)
{
    in->kind->dump(in, index, out);
}
