#include "run/input/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gpu/gpu.h"
#include "run/io/json_writer.h"
#include "run/jobs/process_state.h"

#define POLICY(name) extern const struct corun_policy corun_policy_##name;
#include "policy/list.def"
POLICY(oracle) /* a search over other policies and partitions: study/oracle.c */
#undef POLICY

static const struct corun_policy *const shipped[] = {
#define POLICY(name) &corun_policy_##name,
#include "policy/list.def"
    POLICY(oracle)
#undef POLICY
};

const struct corun_policy *mechanism_shipped(u32 index)
{
    return index < COUNT_OF(shipped) ? shipped[index] : NULL;
}

const struct corun_policy *mechanism_find(const char *name)
{
    for (u32 i = 0; i < COUNT_OF(shipped); i++) {
        if (!strcmp(shipped[i]->name, name)) return shipped[i];
    }
    return NULL;
}

static bool is_list(const struct corun_option *o)
{
    return o->type == CORUN_LIST || o->type == CORUN_WHOLES;
}

static bool is_whole(const struct corun_option *o)
{
    return o->type == CORUN_WHOLE || o->type == CORUN_WHOLES;
}

static bool is_number(const struct corun_option *o)
{
    return o->type == CORUN_NUMBER || o->type == CORUN_WHOLE;
}

void mechanism_expect(const struct corun_option *option, struct text *out)
{
    if (option->type == CORUN_WORD) {
        text_add(out, "one of %s", option->words ? option->words : "the option's words, but the "
                 "policy gives no words");
        return;
    }
    if (option->type == CORUN_INSIDE) {
        text_add(out, "none or a policy");
        return;
    }
    if (option->type == CORUN_TEXT) {
        text_add(out, "%s", option->words ? option->words : "a text");
        return;
    }
    bool list = is_list(option);
    if (list && option->words) text_add(out, "%s or ", option->words);
    text_add(out, "%s%s from %.15g to %.15g",
             is_whole(option) ? list ? "whole " : "a whole " : list ? "" : "a ",
             list ? "numbers A/B/..." : "number", option->low, option->high);
    if (option->unit && option->unit[0]) text_add(out, " (%s)", option->unit);
}

/* True if the value of an option `inside` is the word for no policy. */
static bool is_none(const char *at) { return !strncmp(at, "none", 4) && strchr(",]", at[4]); }

/* Moves behind a bracket or comma; marks the start of a name if the option `inside` follows. */
static void option_begin(struct policy_names *s)
{
    static const char inside[] = "inside=";
    s->at++;
    s->lists &= ~(1ull << s->depth);
    if (strncmp(s->at, inside, sizeof inside - 1)) return;
    s->at += sizeof inside - 1;
    if (is_none(s->at)) return;
    s->lists |= 1ull << s->depth;
    s->begun = false;
}

const char *policy_name_next(struct policy_names *s, size_t *n)
{
    while (s->begun && *s->at) {
        char c = *s->at;
        if (c == '[' && s->depth < 63) s->depth++;
        if (c == ']' && s->depth) s->depth--;
        if (c == '[' || (c == ',' && s->depth)) option_begin(s);
        else s->at++, s->begun = !(c == '+' && (!s->depth || s->lists >> s->depth & 1));
    }
    if (!*s->at) return NULL;
    const char *name = s->at;
    s->begun = true;
    *n = strcspn(name, "[+,]");
    s->at += *n;
    return name;
}

bool policy_from_file(const char *spec)
{
    struct policy_names names = {.at = spec};
    struct text copy = {0};
    bool some = false;
    size_t n;
    for (const char *name; !some && (name = policy_name_next(&names, &n));) {
        copy.size = 0;
        text_put(&copy, name, n);
        some = plugin_named(text_get(&copy));
    }
    text_free(&copy);
    return some;
}

void policy_hook_call(const char *spec, const struct hook_call *a, struct text *out)
{
    struct policy_names names = {.at = spec};
    const char *name = spec;
    size_t n = 0;
    for (u32 i = 0; i <= a->mechanism; i++) {
        const char *next = policy_name_next(&names, &n);
        if (!next) break;
        name = next;
    }
    bool one = a->hook && !hook_call_is_phase(a->hook);
    text_put(out, one ? name : spec, one ? n : strlen(spec));
}

struct spec_scan {
    struct mechanisms *m;
    struct source source;
    size_t at;
    struct fail *fail;
};

/* Consumes the text up to a byte in `stops` and returns a copy of the text. */
static char *take(struct spec_scan *s, const char *stops)
{
    const char *start = s->source.text + s->at;
    size_t n = strcspn(start, stops);
    s->at += n;
    return arena_text(&s->m->arena, start, n);
}

static char peek(const struct spec_scan *s) { return s->source.text[s->at]; }

/* Returns a copy of `text` if `text` is one of the words separated by '|'; NULL otherwise. */
static const char *word_of(struct mechanisms *m, const char *words, const char *text)
{
    size_t n = strlen(text);
    while (words) {
        size_t length = strcspn(words, "|");
        if (n == length && !memcmp(words, text, n)) return arena_text(&m->arena, text, n);
        words = words[length] ? words + length + 1 : NULL;
    }
    return NULL;
}

static bool has_fraction(double x)
{
    return x > -0x1p53 && x < 0x1p53 && x != (double)(int64_t)x;
}

static bool number_of(const struct corun_option *option, const char *text, size_t n, double *out)
{
    bool inf = n == 3 && !memcmp(text, "inf", 3);
    if (inf) *out = INFINITY;
    return (inf || real_parse(text, n, out)) && *out >= option->low && *out <= option->high &&
           !(is_whole(option) && has_fraction(*out));
}

static bool list_of(const struct corun_option *option, const char *text, struct corun_value *value)
{
    for (;;) {
        size_t n = strcspn(text, "/");
        if (value->list_n == COUNT_OF(value->list)) return false;
        if (!number_of(option, text, n, &value->list[value->list_n++])) return false;
        if (!text[n]) return true;
        text += n + 1;
    }
}

static bool value_of(struct mechanisms *m, const struct corun_option *option, const char *text,
                     struct corun_value *value)
{
    *value = (struct corun_value){0};
    if (is_number(option)) return number_of(option, text, strlen(text), &value->number);
    if (option->type == CORUN_INSIDE) {
        value->word = strcmp(text, "none") ? text : NULL;
        return true;
    }
    if (option->type == CORUN_TEXT) {
        value->word = *text ? text : NULL;
        return *text;
    }
    if (option->words) value->word = word_of(m, option->words, text);
    if (value->word) return true;
    return is_list(option) && list_of(option, text, value);
}

/* Sets all options to their initial values. false: the initial value of an option violates its row,
 * possible for a user's policy. */
static bool start_values(struct spec_scan *s, size_t at, struct mechanism *one)
{
    struct mechanisms *m = s->m;
    const struct corun_policy *p = one->policy;
    while (p->options && p->options[one->option_n].name) one->option_n++;
    while (p->stats && p->stats[one->stat_n].name) one->stat_n++;
    one->values = arena_array(&m->arena, struct corun_value, one->option_n);
    one->given = arena_array(&m->arena, bool, one->option_n);
    one->texts = arena_array(&m->arena, char *, one->option_n);
    for (u32 i = 0; i < one->option_n; i++) {
        const char *initial = p->options[i].initial;
        if (!initial || !value_of(m, &p->options[i], initial, &one->values[i])) {
            struct text expect = {0};
            mechanism_expect(&p->options[i], &expect);
            fail_at(s->fail, &s->source, at, "%s: the initial value of option '%s' is '%s', "
                    "expected %s", p->name, p->options[i].name, initial ? initial : "",
                    text_get(&expect));
            text_free(&expect);
            return false;
        }
        one->texts[i] = arena_text(&m->arena, initial, strlen(initial));
    }
    return true;
}

/* Returns the number in normal form: 45k and 45000 become equal text, hence an equal key. */
static char *number_text(struct mechanisms *m, double number)
{
    struct text t = {0};
    real_show(number, &t);
    char *kept = arena_text(&m->arena, t.bytes, t.size);
    text_free(&t);
    return kept;
}

static void unknown_option(struct spec_scan *s, const struct mechanism *one, size_t at,
                           const char *name)
{
    fail_at(s->fail, &s->source, at, "%s has no option '%s'", one->policy->name, name);
    struct nearest nearest;
    nearest_init(&nearest, name);
    struct text all = {0};
    for (u32 i = 0; i < one->option_n; i++) {
        nearest_offer(&nearest, one->policy->options[i].name);
        text_add(&all, "%s%s", i ? ", " : "", one->policy->options[i].name);
    }
    fail_nearest(s->fail, &nearest);
    fail_note(s->fail, one->option_n ? "options of the policy: %s" : "the policy has no options%s",
              text_get(&all));
    text_free(&all);
}

static void take_policies(struct spec_scan *s, u32 owner);

/* Returns a copy of the value of an option. The mechanisms of an option CORUN_INSIDE follow the
 * mechanism of the option. */
static char *take_value(struct spec_scan *s, const struct mechanism *one,
                        const struct corun_option *option)
{
    size_t at = s->at;
    if (!option || option->type != CORUN_INSIDE || is_none(s->source.text + at))
        return take(s, ",][");
    take_policies(s, (u32)(one - s->m->at) + 1);
    return arena_text(&s->m->arena, s->source.text + at, s->at - at);
}

/* Parses NAME=VALUE. */
static void take_option(struct spec_scan *s, struct mechanism *one)
{
    size_t name_at = s->at;
    const char *name = take(s, "=,]+[");
    u32 i = 0;
    while (i < one->option_n && strcmp(one->policy->options[i].name, name)) i++;
    if (i == one->option_n) unknown_option(s, one, name_at, name);
    if (peek(s) != '=') {
        if (i < one->option_n) {
            fail_at(s->fail, &s->source, s->at, "expected %s=VALUE", name);
        }
        return;
    }
    s->at++;
    size_t value_at = s->at;
    const struct corun_option *option = i < one->option_n ? &one->policy->options[i] : NULL;
    char *text = take_value(s, one, option);
    if (!option) return;
    if (one->given[i]) fail_at(s->fail, &s->source, name_at, "'%s' is given twice", name);
    one->given[i] = true;
    one->texts[i] = text;
    if (value_of(s->m, option, text, &one->values[i])) {
        if (is_number(option)) one->texts[i] = number_text(s->m, one->values[i].number);
        return;
    }
    struct text expect = {0};
    mechanism_expect(option, &expect);
    fail_at(s->fail, &s->source, value_at, "%s.%s is '%s', expected %s", one->policy->name, name,
            text, text_get(&expect));
    text_free(&expect);
    if (is_number(option)) amount_note(text, s->fail);
}

/* Parses [NAME=VALUE,...]. false: syntax error, the rest cannot be parsed. */
static bool take_options(struct spec_scan *s, struct mechanism *one)
{
    size_t open = s->at++;
    if (peek(s) == ']') {
        s->at++;
        return true;
    }
    for (;;) {
        take_option(s, one);
        if (peek(s) == ',') {
            s->at++;
            continue;
        }
        if (peek(s) == ']') {
            s->at++;
            return true;
        }
        if (s->fail->error_n) return false;
        fail_at(s->fail, &s->source, s->at, "expected ',' or ']'");
        fail_note(s->fail, "the bracket opened in column %zu", open + 1);
        return false;
    }
}

static const struct corun_policy *take_name(struct spec_scan *s, struct plugin *plugin)
{
    size_t at = s->at;
    const char *name = take(s, "[+,]");
    const struct corun_policy *found = mechanism_find(name);
    if (found) return found;
    if (plugin_named(name)) {
        plugin_open(plugin, name, s->m->hook_call, &s->source, at, s->fail);
        return plugin->policy;
    }
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < COUNT_OF(shipped); i++) nearest_offer(&nearest, shipped[i]->name);
    fail_at(s->fail, &s->source, at, name[0] ? "unknown policy '%s'" : "expected a policy%s",
            name);
    fail_nearest(s->fail, &nearest);
    fail_note(s->fail, "give a shipped policy (corun list policies), or a file, ./FILE.c or "
              "./FILE.so");
    return NULL;
}

/* True if mechanism `at` is in the option `inside` of mechanism `owner`, at any depth. */
static bool owns(const struct mechanisms *m, u32 owner, u32 at)
{
    u32 of = m->at[at].owner;
    while (of && of != owner + 1) of = m->at[of - 1].owner;
    return of != 0;
}

/* Refuses a policy in sets of SMs that decides for parts which all sets share. */
static void check_inside(struct spec_scan *s, size_t at, const struct corun_policy *owner,
                         const struct corun_policy *inside)
{
    static const enum group whole[] = {GROUP_instances, GROUP_holder, GROUP_l2_ways,
                                       GROUP_dram_rank};
    for (u32 i = 0; i < COUNT_OF(whole); i++) {
        if (!group_has(inside, whole[i])) continue;
        const struct claim_row *what = &claim_rows[group_rows[whole[i]].claim];
        fail_at(s->fail, &s->source, at, "'%s' decides %s (%s) for the whole GPU, and cannot work "
                "inside '%s', whose sets of SMs share all other parts", inside->name, what->name,
                what->words, owner->name);
        return;
    }
}

static void check_claims(struct spec_scan *s, size_t at)
{
    const struct mechanisms *m = s->m;
    const struct corun_policy *last = m->at[m->n - 1].policy;
    for (u32 i = 0; i + 1 < m->n; i++) {
        const struct corun_policy *other = m->at[i].policy;
        const struct claim_row *what = group_claimed_twice(other, last);
        /* mechanisms inside take the place of the other's hooks, but divide nothing again */
        bool owned = owns(m, i, m->n - 1), sets = owned && other->sets, again = sets && last->sets;
        if (again || (owned && other->instances && last->instances))
            what = &claim_rows[again ? CLAIM_SETS : CLAIM_INSTANCES];
        else if (owned && (other->instances || sets)) what = NULL;
        if (sets && !again) check_inside(s, at, other, last);
        if (!what) continue;
        fail_at(s->fail, &s->source, at, "'%s' and '%s' both decide %s (%s): choose one",
                m->at[i].policy->name, last->name, what->name, what->words);
    }
}

/* Refuses a name that another mechanism has: results list counters and options by name. */
static void check_name(struct spec_scan *s, size_t at)
{
    const struct mechanisms *m = s->m;
    const char *name = m->at[m->n - 1].policy->name;
    for (u32 i = 0; i + 1 < m->n; i++) {
        if (strcmp(m->at[i].policy->name, name)) continue;
        fail_at(s->fail, &s->source, at, "two policies are named '%s'", name);
        fail_note(s->fail, "results list counters and options by the name in struct corun_policy: "
                  "give each policy its own name");
        return;
    }
}

/* Refuses a policy from a file whose options would have the keys of the machine in results. */
static void check_keys(struct spec_scan *s, size_t at, const struct corun_policy *p)
{
    for (u32 i = 0; i < machine_row_n; i++) {
        const struct conf_row *key = &machine_rows[i];
        const struct corun_option *o = p->options;
        if (strcmp(key->section, p->name)) continue;
        while (o && o->name && strcmp(o->name, key->field)) o++;
        if (mechanism_find(p->name) && !(o && o->name)) continue;
        fail_at(s->fail, &s->source, at, "the policy's name '%s' begins the machine's option %s.%s",
                p->name, p->name, key->field);
        fail_note(s->fail, "results list the options of machine and policies together: give the "
                  "policy another name");
        return;
    }
}

/* Parses a mechanism. Returns false if the rest cannot be parsed. */
static bool take_policy(struct spec_scan *s, u32 owner)
{
    struct mechanisms *m = s->m;
    struct mechanism *one = &m->at[m->n];
    size_t name_at = s->at;
    if (m->n == MECHANISMS_MAX) {
        fail_at(s->fail, &s->source, s->at, "more than %d mechanisms", MECHANISMS_MAX);
        return false;
    }
    one->policy = take_name(s, &one->plugin);
    if (!one->policy) return false;
    m->n++;
    one->at = name_at;
    one->owner = owner;
    if (owner && one->policy == &corun_policy_oracle)
        fail_at(s->fail, &s->source, name_at, "oracle works on the whole GPU, not inside a part");
    check_claims(s, name_at);
    check_name(s, name_at);
    if (one->plugin.handle) check_keys(s, name_at, one->policy);
    if (!start_values(s, name_at, one)) return false;
    size_t options_at = s->at;
    if (peek(s) == '[' && !take_options(s, one)) return false;
    const char *first = m->spec + options_at, *equals = memchr(first, '=', s->at - options_at);
    if (equals && !memchr(first, ',', s->at - options_at)) one->at = (size_t)(equals - m->spec) + 1;
    return true;
}

/* Parses mechanisms joined by '+', up to the end, or inside an option up to ',' or ']'. */
static void take_policies(struct spec_scan *s, u32 owner)
{
    while (take_policy(s, owner)) {
        char next = peek(s);
        if (!next || (owner && (next == ',' || next == ']'))) return;
        if (next != '+') {
            fail_at(s->fail, &s->source, s->at, "expected '+' and another mechanism, or the end");
            return;
        }
        s->at++;
    }
}

static void parse(struct mechanisms *m, const char *spec, struct fail *fail)
{
    m->spec = arena_text(&m->arena, spec, strlen(spec));
    m->source = (struct source){COMMAND_LINE, m->spec, strlen(m->spec)};
    struct spec_scan s = {m, m->source, 0, fail};
    take_policies(&s, 0);
}

static void tell_file(struct hook_call *a, const char *hook)
{
    if (!a) return;
    a->thread = gettid();
    a->hook = hook;
}

bool mechanisms_load(struct mechanisms *m, const char *spec, struct hook_call *hook_call,
                     struct fail *fail)
{
    u32 before = fail->error_n;
    *m = (struct mechanisms){.hook_call = hook_call};
    arena_init(&m->arena);
    tell_file(hook_call, HOOK_CALL_LOAD);
    parse(m, spec, fail);
    tell_file(hook_call, NULL);
    return fail->error_n == before;
}

void mechanisms_warn(const struct mechanisms *m, struct warnings *to)
{
    for (u32 i = 0; i < m->n; i++) {
        const struct plugin *p = &m->at[i].plugin;
        if (!p->changed) continue;
        struct text sentence = {0};
        text_add(&sentence, "loading the code changed ");
        process_changes_show(p->changed, &sentence);
        text_add(&sentence, " of the process: restored");
        warning_add_once(to, p->file, sentence.bytes);
        text_free(&sentence);
    }
}

bool mechanisms_parse(struct mechanisms *m, const char *spec, struct fail *fail)
{
    return mechanisms_load(m, spec, NULL, fail);
}

void mechanisms_free(struct mechanisms *m)
{
    struct hook_call *hook_call = m->hook_call;
    tell_file(hook_call, HOOK_CALL_UNLOAD);
    for (u32 i = 0; i < m->n; i++) plugin_close(&m->at[i].plugin);
    tell_file(hook_call, NULL);
    arena_free(&m->arena);
    *m = (struct mechanisms){0};
}
