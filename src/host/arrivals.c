#include "host/arrivals.h"

#include <string.h>

const char *const arrivals_keys[ARRIVALS_KEY_N] = {
    [ARRIVALS_KEY_HOW] = "arrivals",
    [ARRIVALS_KEY_SEED] = "arrivals_seed",
    [ARRIVALS_KEY_REQUESTS] = "requests",
    [ARRIVALS_KEY_WARMUP] = "warmup",
    [ARRIVALS_KEY_DEADLINE] = "deadline_us",
};
static const struct {
    const char *word, *form;
} kinds[] = {
    [ARRIVALS_POISSON] = {"poisson", "poisson:RATE"},
    [ARRIVALS_PERIODIC] = {"periodic", "periodic:RATE"},
    [ARRIVALS_TRACE] = {"trace", "trace:FILE"},
    [ARRIVALS_CLOSED] = {"closed", "closed:CLIENTS"},
};
enum { CLIENTS_MOST = 4096, PS_PER_US = 1000000 };
#define TIME_US_MOST 1000000000000ull /* greatest time in a trace, and greatest deadline */

enum arrivals_key arrivals_key(const char *word)
{
    u32 key = 0;
    while (key < ARRIVALS_KEY_N && strcmp(arrivals_keys[key], word)) key++;
    return (enum arrivals_key)key;
}

static bool has_kind(const char *value, enum arrivals_kind kind)
{
    size_t n = strlen(kinds[kind].word);
    return !strncmp(value, kinds[kind].word, n) && value[n] == ':';
}

const char *arrivals_path(const char *value)
{
    return has_kind(value, ARRIVALS_TRACE) ? value + strlen("trace:") : NULL;
}

/* Reads microseconds with at most six decimals as picoseconds. */
static bool read_us(const char *text, u64 *ps)
{
    struct rational us;
    if (!rational_parse(text, &us) || us.num / us.den > TIME_US_MOST) return false;
    u128 scaled = (u128)us.num * PS_PER_US;
    *ps = (u64)(scaled / us.den);
    return scaled % us.den == 0;
}

/* ---- arrivals: KIND:VALUE ---- */

static bool read_rate(struct arrivals_reader *r, const char *text, size_t offset)
{
    struct rational *rate = &r->to->rate;
    bool good = rational_parse(text, rate) && rate->den <= PS_PER_US &&
                rate->num / rate->den >= ARRIVALS_RATE_LEAST &&
                (u128)rate->num <= (u128)rate->den * ARRIVALS_RATE_MOST;
    if (good) return true;
    fail_at(r->fail, r->at, offset, "a rate is a number of requests per second from %d to %d, with "
            "at most six decimals", ARRIVALS_RATE_LEAST, ARRIVALS_RATE_MOST);
    amount_note(text, r->fail);
    return false;
}

static bool read_clients(struct arrivals_reader *r, const char *text, size_t offset)
{
    bool good = whole_parse(text, &r->to->clients) && r->to->clients >= 1 &&
                r->to->clients <= CLIENTS_MOST;
    if (!good)
        fail_at(r->fail, r->at, offset, "the number of clients is a whole number from 1 to %d",
                CLIENTS_MOST);
    return good;
}

/* Reads a line of a trace: a time, or nothing, then perhaps a comment. Returns false after adding
 * an error. */
static bool read_line(struct arrivals_reader *r, const struct source *trace, size_t at, size_t end,
                      u64 *times, u32 *n)
{
    const char *line = trace->text;
    const char *comment = memchr(line + at, '#', end - at);
    if (comment) end = (size_t)(comment - line);
    while (at < end && strchr(" \t\r", line[at])) at++;
    while (end > at && strchr(" \t\r", line[end - 1])) end--;
    if (at == end) return true;
    const char *word = arena_text(r->arena, line + at, end - at);
    u64 before = *n ? times[*n - 1] : 0, *time = &times[*n];
    if (!read_us(word, time)) {
        fail_at(r->fail, trace, at, "a trace has a time in microseconds per line, with at most six "
                "decimals");
    } else if (*time < before) {
        fail_at(r->fail, trace, at, "the times of a trace must not fall");
    } else if (*n == ARRIVALS_MOST) {
        fail_at(r->fail, trace, at, "a trace has at most %d times", ARRIVALS_MOST);
    } else {
        ++*n;
        return true;
    }
    return false;
}

static bool read_trace(struct arrivals_reader *r, const struct source *trace, size_t offset)
{
    if (!trace) return false; /* the error is known */
    u32 room = 1, n = 0;
    for (size_t i = 0; i < trace->size && room <= ARRIVALS_MOST; i++)
        room += trace->text[i] == '\n';
    u64 *times = arena_array(r->arena, u64, room + 1);
    for (size_t at = 0, end; at < trace->size; at = end + 1) {
        const char *newline = memchr(trace->text + at, '\n', trace->size - at);
        end = newline ? (size_t)(newline - trace->text) : trace->size;
        if (!read_line(r, trace, at, end, times, &n)) return false;
    }
    r->to->times = times;
    r->to->time_n = n;
    if (!n) fail_at(r->fail, r->at, offset, "the trace %s has no times", trace->name);
    return n;
}

static bool read_how(struct arrivals_reader *r, const char *value, size_t offset,
                     const struct source *trace)
{
    u32 kind = ARRIVALS_POISSON;
    while (kind < COUNT_OF(kinds) && !has_kind(value, (enum arrivals_kind)kind)) kind++;
    if (kind == COUNT_OF(kinds)) {
        fail_at(r->fail, r->at, offset, "unknown arrivals '%s'", value);
        fail_note(r->fail, "arrivals are %s, %s, %s or %s", kinds[1].form, kinds[2].form,
                  kinds[3].form, kinds[4].form);
        return false;
    }
    size_t n = strlen(kinds[kind].word) + 1;
    r->to->kind = (enum arrivals_kind)kind;
    if (kind == ARRIVALS_TRACE) return read_trace(r, trace, offset + n);
    return kind == ARRIVALS_CLOSED ? read_clients(r, value + n, offset + n)
                                   : read_rate(r, value + n, offset + n);
}

/* ---- the other keys ---- */

static bool read_number(struct arrivals_reader *r, enum arrivals_key key, const char *value,
                        size_t offset, u64 least, u64 most, u64 *to)
{
    if (whole_parse(value, to) && *to >= least && *to <= most) return true;
    fail_at(r->fail, r->at, offset, "%s must be a whole number from %llu to %llu",
            arrivals_keys[key], (unsigned long long)least, (unsigned long long)most);
    amount_note(value, r->fail);
    return false;
}

bool arrivals_read(struct arrivals_reader *r, enum arrivals_key key, const char *value,
                   size_t offset, const struct source *trace)
{
    struct arrivals *to = r->to;
    r->given[key] = true;
    r->offset[key] = offset;
    switch (key) {
    case ARRIVALS_KEY_HOW: return read_how(r, value, offset, trace);
    case ARRIVALS_KEY_SEED:
        to->seeded = true;
        return read_number(r, key, value, offset, 0, UINT64_MAX, &to->seed);
    case ARRIVALS_KEY_REQUESTS:
        return read_number(r, key, value, offset, 1, ARRIVALS_MOST, &to->requests);
    case ARRIVALS_KEY_WARMUP:
        return read_number(r, key, value, offset, 0, ARRIVALS_MOST, &to->warmup);
    default:
        if (read_us(value, &to->deadline) && to->deadline) return true;
        fail_at(r->fail, r->at, offset, "deadline_us must be a positive number of microseconds, "
                "with at most six decimals");
        amount_note(value, r->fail);
        return false;
    }
}

/* Checks that a trace has a time for each request. */
static bool check_trace(const struct arrivals_reader *r)
{
    const struct arrivals *a = r->to;
    u64 wanted = a->warmup + max_u64(a->requests, 1);
    if (a->kind != ARRIVALS_TRACE || a->time_n >= wanted) return true;
    enum arrivals_key key = a->requests ? ARRIVALS_KEY_REQUESTS : ARRIVALS_KEY_WARMUP;
    fail_at(r->fail, r->at, r->offset[key], "the trace has %u times, %llu are needed: requests and "
            "warmup", a->time_n, (unsigned long long)wanted);
    return false;
}

bool arrivals_check(const struct arrivals_reader *r)
{
    bool good = true;
    for (u32 key = ARRIVALS_KEY_HOW + 1; key < ARRIVALS_KEY_N; key++) {
        if (!r->given[key] || r->given[ARRIVALS_KEY_HOW]) continue;
        fail_at(r->fail, r->at, r->offset[key], "'%s' needs 'arrivals'", arrivals_keys[key]);
        good = false;
    }
    return good && check_trace(r);
}
