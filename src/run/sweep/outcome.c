#include "run/sweep/outcome.h"

#include <jansson.h>
#include <string.h>
#include "run/result/key.h"
#include "run/sim/sim.h"

void outcome_tidy(struct text *why)
{
    size_t n = 0;
    if (why->size > 7 && !strncmp(why->bytes, "error: ", 7)) n = 7;
    struct text out = {0};
    text_put(&out, text_get(why) + n, why->size - n);
    while (out.size && (out.bytes[out.size - 1] == '\n' || out.bytes[out.size - 1] == ' ')) {
        out.bytes[--out.size] = 0;
    }
    text_free(why);
    *why = out;
}

const char *outcome_reason(const char *policy, struct worker_end *end)
{
    struct text why = {0};
    const char *status = "failed";
    outcome_tidy(&end->why);
    if (end->ok && end->out.size) return status;
    if (end->ok) text_add(&end->why, "the process ended without a result");
    if ((end->ok || end->died) && !end->late && policy_from_file(policy)) {
        struct text name = {0};
        policy_hook_call(policy, &end->hook_call, &name);
        status = sim_status_name(SIM_POLICY_FAILED);
        hook_call_show(&end->hook_call, name.bytes, &why);
        text_add(&why, ": ");
        text_free(&name);
    }
    end->ok = false;
    text_put(&why, text_get(&end->why), end->why.size);
    text_free(&end->why);
    end->why = why;
    return status;
}

void outcome_warnings(const char *result, struct warnings *out)
{
    json_t *document = json_loads(result, 0, NULL), *warning;
    size_t i;
    json_array_foreach(json_object_get(document, key_name(KEY_result_warnings)), i, warning) {
        const char *where, *text;
        json_int_t line, n;
        if (json_unpack(warning, "{s:s, s:I, s:s, s:I}", key_name(KEY_warning_where), &where,
                        key_name(KEY_warning_line), &line, key_name(KEY_warning_text), &text,
                        key_name(KEY_warning_count), &n))
            continue;
        struct warning one = {where, text, (u32)line, (u64)n};
        warnings_merge(out, &(struct warnings){.at = &one, .n = 1});
    }
    json_decref(document);
}
