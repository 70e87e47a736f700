/* Earliest deadline first: starts blocks of one app at a time, the app whose request has the
 * earliest deadline; among equal deadlines the app with the first priority, then the app with the
 * first number. Logs each choice. For tests, and as an example of struct corun_app. */
#include "corun/policy.h"

struct edf { uint32_t chosen; uint64_t deadline; };

/* Returns true if app a goes before app b. */
static bool goes_before(const struct corun_view *view, uint32_t a, uint32_t b)
{
    const struct corun_app *one = &view->apps[a], *other = &view->apps[b];
    if (one->deadline != other->deadline) return one->deadline < other->deadline;
    if (one->priority != other->priority) return one->priority < other->priority;
    return a < b;
}

static void note(struct edf *e, const struct corun_view *view, uint32_t app)
{
    char line[100];
    const struct corun_app *a = &view->apps[app];
    if (e->chosen == app + 1 && e->deadline == a->deadline) return;
    *e = (struct edf){app + 1, a->deadline};
    snprintf(line, sizeof line, "app %u priority %d deadline %lld", (unsigned)app, (int)a->priority,
             a->deadline == CORUN_NEVER ? -1LL : (long long)a->deadline);
    view->log(view, line);
}

static void edf_admit(void *state, const struct corun_view *view, bool *admit)
{
    uint32_t first = CORUN_NO_APP;
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        uint32_t app = view->kernels[k].app_id;
        if (!view->kernels[k].pending_blocks) continue;
        if (first == CORUN_NO_APP || goes_before(view, app, first)) first = app;
    }
    if (first == CORUN_NO_APP) return;
    note(state, view, first);
    for (uint32_t k = 0; k < view->kernel_n; k++) admit[k] = view->kernels[k].app_id == first;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "edf",
    .sentence = "Starts blocks of the app whose request has the earliest deadline.",
    .source = "a test's own",
    .state_bytes = sizeof(struct edf),
    .admit = edf_admit,
};
