/* corun show: prints all details of a machine, policy or workload. */
#include <string.h>
#include "cli/terminal/columns.h"
#include "gpu/dispatch/hook_call.h"
#include "cli/common/guarded.h"

struct shown {
    const char *kind;
    bool (*make)(struct catalog *c, const char *name, struct fail *fail);
};
static const struct shown kinds[] = {
    {"gpu", catalog_gpu}, {"policy", catalog_policy}, {"workload", catalog_workload}};

static int show(const struct guarded *g, const struct options *o, struct console *c)
{
    (void)g;
    const char *kind = o->operands[0];
    struct nearest nearest;
    nearest_init(&nearest, kind);
    for (u32 i = 0; i < COUNT_OF(kinds); i++) {
        nearest_offer(&nearest, kinds[i].kind);
        if (strcmp(kinds[i].kind, kind)) continue;
        struct catalog one;
        if (c->hook_call) c->hook_call->hook = HOOK_CALL_LOAD;
        bool ok = kinds[i].make(&one, o->operands[1], &c->fail);
        if (c->hook_call) hook_call_end(c->hook_call);
        if (ok) catalog_show(&one, false, columns_of_list(), &c->out);
        catalog_free(&one);
        return ok ? EXIT_DONE : EXIT_INPUT;
    }
    struct source source = {COMMAND_LINE, kind, strlen(kind)};
    fail_at(&c->fail, &source, 0, "unknown kind '%s'", kind);
    fail_nearest(&c->fail, &nearest);
    fail_note(&c->fail, "expected gpu NAME, policy NAME or workload NAME");
    return EXIT_INPUT;
}

int command_show(const struct options *o, struct console *c)
{
    if (o->operand_n != 2) {
        fail_plain(&c->fail, "expected gpu NAME, policy NAME or workload NAME");
        fail_note(&c->fail, "corun list gpus, policies or workloads shows the names");
        return EXIT_INPUT;
    }
    const struct guarded g = {&o->operands[1], !strcmp(o->operands[0], "policy"), show, NULL,
                              false};
    return guarded_run(&g, o, c);
}
