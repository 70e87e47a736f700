#include "run/input/rows.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ROWS_MAX = 100, PIECE = 64, TEXT_PIECES = 64 };

/* Copies n bytes. false: unmapped memory. If the kernel does not permit process_vm_readv, copies
 * the bytes directly. */
static bool look(const void *at, void *out, size_t n)
{
    struct iovec to = {out, n}, from = {(void *)(uintptr_t)at, n};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    if (got >= 0 || errno == EFAULT) return got == (ssize_t)n;
    memcpy(out, at, n);
    return true;
}

static bool text_ends(const char *at)
{
    char piece[PIECE];
    for (u32 i = 0; at && i < TEXT_PIECES; i++) { /* no piece crosses a page boundary */
        size_t n = PIECE - (uintptr_t)at % PIECE;
        if (!look(at, piece, n)) return false;
        if (memchr(piece, 0, n)) return true;
        at += n;
    }
    return false;
}

/* True if the text can be used as a name in --policy and in JSON. */
static bool is_name(const char *at)
{
    if (!text_ends(at) || !*at) return false;
    for (; *at; at++)
        if (!isalnum((u8)*at) && !strchr("_-.", *at)) return false;
    return true;
}

/* Keys of a mechanism in results, beside the counters (run/result/key.def). */
static const char *const taken[] = {"refusals", "refused", "blocks_per_sm", "log_lines", "log",
                                    "mixes"};

/* True if the name is a key, or one of the first n rows of a table has it. */
static bool is_taken(const char *name, const void *table, size_t bytes, u32 n)
{
    for (u32 i = 0; i < COUNT_OF(taken); i++)
        if (!strcmp(name, taken[i])) return true;
    for (u32 i = 0; i < n; i++) {
        const char *const *earlier = (const void *)((const char *)table + i * bytes);
        if (!strcmp(*earlier, name)) return true;
    }
    return false;
}

/* Return the missing or invalid part of a row, for a message; NULL: the row is valid. */
static const char *option_wrong(const void *at)
{
    const struct corun_option *o = at;
    if (!is_name(o->name)) return "a name of letters, digits and _ - .";
    if ((u32)o->type > CORUN_INSIDE) return "a type of enum corun_option_type";
    if (o->type == CORUN_INSIDE && strcmp(o->name, "inside")) return "the name `inside`";
    if (!text_ends(o->initial)) return "an initial value";
    if (!text_ends(o->sentence)) return "a sentence";
    if (o->words && !text_ends(o->words)) return "a valid text for `words`";
    return o->unit && !text_ends(o->unit) ? "a valid text for `unit`" : NULL;
}

static const char *stat_wrong(const void *at)
{
    const struct corun_policy_stat *s = at;
    if (!is_name(s->name)) return "a name of letters, digits and _ - .";
    if (!text_ends(s->unit)) return "a unit";
    return text_ends(s->sentence) ? NULL : "a sentence";
}

/* True if all rows of a table are valid and the table ends within ROWS_MAX rows. Reads the name at
 * the beginning of each row: a row without name ends the table. */
static bool table_ends(const void *table, size_t bytes, const char *what,
                       const char *(*wrong)(const void *), struct text *why)
{
    union {
        const char *name;
        struct corun_option option;
        struct corun_policy_stat stat;
    } row;
    const char *last = NULL, *lacks = NULL, *question = "; does the table end with a row {0}?";
    for (u32 i = 0; table && i <= ROWS_MAX && !lacks; i++) {
        if (!look((const char *)table + i * bytes, &row, bytes)) lacks = "readable memory";
        else if (!row.name) return true;
        else lacks = i < ROWS_MAX ? wrong(&row) : "room: a table has at most 100 rows";
        if (!lacks && is_taken(row.name, table, bytes, i)) {
            lacks = "a name of its own, which no other row and no key of results has";
            question = "";
        }
        if (!lacks) last = row.name;
    }
    if (!table) return true;
    text_add(why, "table `%s`: the %s%s%s lacks %s%s", what, last ? "row behind '" : "first row",
             last ? last : "", last ? "'" : "", lacks, question);
    return false;
}

bool rows_check(const struct corun_policy *p, struct text *why)
{
    if (!is_name(p->name) || strchr(p->name, '.')) {
        text_add(why, "the policy lacks a name of letters, digits and _ -");
        return false;
    }
    if (!text_ends(p->sentence)) {
        text_add(why, "the policy lacks a sentence");
        return false;
    }
    return table_ends(p->options, sizeof *p->options, "options", option_wrong, why) &&
           table_ends(p->stats, sizeof *p->stats, "stats", stat_wrong, why);
}
