#include "base/fail.h"

#include <string.h>

enum { LINE_SHOWN = 160 }; /* bytes of a source line shown around the caret */
/* A word in a message is shown up to WORD_SHOWN bytes; a longer word is reduced to its first
 * WORD_HEAD and last WORD_TAIL bytes. */
enum { WORD_HEAD = 200, WORD_TAIL = 40, WORD_SHOWN = WORD_HEAD + 3 + WORD_TAIL };

void source_count_lines(const struct source *s, size_t offset, size_t *start, u32 *line)
{
    size_t end = offset < s->size ? offset : s->size;
    for (const char *at; *start < end; *start = (size_t)(at - s->text) + 1, ++*line) {
        at = memchr(s->text + *start, '\n', end - *start);
        if (!at) return;
    }
}

void source_position(const struct source *s, size_t offset, u32 *line, u32 *column)
{
    size_t start = 0;
    *line = 1;
    source_count_lines(s, offset, &start, line);
    *column = (u32)(offset - start) + 1;
}

static u32 column_of(struct fail *f, const struct source *s, size_t offset)
{
    if (f->counted != s || offset < f->line_start) {
        f->counted = s;
        f->line_start = 0;
        f->line = 1;
    }
    source_count_lines(s, offset, &f->line_start, &f->line);
    return (u32)(offset - f->line_start) + 1;
}

static void show_line(struct text *out, const struct source *s, size_t offset)
{
    size_t start = offset < s->size ? offset : s->size;
    while (start && s->text[start - 1] != '\n') start--;
    size_t end = offset < s->size ? offset : s->size;
    while (end < s->size && s->text[end] != '\n') end++;
    bool cut_before = offset - start > LINE_SHOWN / 2;
    if (cut_before) start = offset - LINE_SHOWN / 2;
    bool cut_behind = end - start > LINE_SHOWN;
    if (cut_behind) end = start + LINE_SHOWN;
    text_add(out, "    %s", cut_before ? "..." : "");
    for (size_t i = start; i < end; i++) {
        char c = s->text[i];
        char shown = c == '\t' ? ' ' : (u8)c >= 32 ? c : '?';
        text_put(out, &shown, 1);
    }
    int before = cut_before ? 3 : 0;
    for (size_t i = start; i < offset; i++) before += ((u8)s->text[i] & 0xc0) != 0x80;
    text_add(out, "%s\n    %*s^\n", cut_behind ? "..." : "", before, "");
}

/* Removes the middle of every overlong word from byte `at` on. */
static void shorten(struct text *t, size_t at)
{
    char *to = t->bytes + at;
    for (const char *from = to; *from;) {
        size_t n = strcspn(from, " \n"), kept = n > WORD_SHOWN ? WORD_HEAD : n;
        memmove(to, from, kept);
        to += kept;
        if (kept < n) {
            memcpy(to, "...", 3);
            memmove(to + 3, from + n - WORD_TAIL, WORD_TAIL);
            to += 3 + WORD_TAIL;
        }
        from += n;
        if (*from) *to++ = *from++;
    }
    *to = 0;
    t->size = (size_t)(to - t->bytes);
}

static void add_message(struct text *t, const char *format, va_list args)
{
    size_t at = t->size;
    text_addv(t, format, args);
    text_put(t, "\n", 1);
    shorten(t, at);
}

/* Translates an offset in an argument that was read from a file into an offset in the file. Returns
 * the corresponding byte if the file contains the argument verbatim up to the offset, else the
 * beginning of the argument. */
static size_t offset_in_file(const struct fail *f, const struct source *s, size_t offset)
{
    const struct source *file = f->file;
    size_t at = f->offset;
    if (at < file->size && (file->text[at] == '"' || file->text[at] == '\'')) at++;
    bool same = at + offset <= file->size && !memcmp(file->text + at, s->text, offset);
    return same ? at + offset : f->offset;
}

/* Returns true if the message contains the argument in quotes. */
static bool quotes(const char *message, const struct source *argument)
{
    for (const char *at = message; (at = strchr(at, '\'')); at++)
        if (!strncmp(at + 1, argument->text, argument->size) && at[1 + argument->size] == '\'')
            return true;
    return false;
}

void fail_at(struct fail *f, const struct source *s, size_t offset, const char *format, ...)
{
    if (++f->error_n > FAIL_MAX) return;
    bool argument = !strcmp(s->name, COMMAND_LINE);
    if (argument && f->file) {
        offset = offset_in_file(f, s, offset);
        s = f->file;
        argument = false;
    }
    if (!argument) {
        u32 column = column_of(f, s, offset);
        text_add(&f->text, "%s:%u:%u: ", s->name, f->line, column);
    }
    text_add(&f->text, "error: ");
    size_t at = f->text.size;
    va_list args;
    va_start(args, format);
    add_message(&f->text, format, args);
    va_end(args);
    if (argument && !offset && quotes(f->text.bytes + at, s)) return;
    show_line(&f->text, s, offset);
}

void fail_sentence(const struct fail *f, struct text *out)
{
    const char *all = text_get(&f->text), *error = strstr(all, "error: ");
    if (error) all = error + strlen("error: ");
    text_put(out, all, strcspn(all, "\n"));
}

void fail_plain(struct fail *f, const char *format, ...)
{
    if (++f->error_n > FAIL_MAX) return;
    text_add(&f->text, "error: ");
    va_list args;
    va_start(args, format);
    add_message(&f->text, format, args);
    va_end(args);
}

void fail_note(struct fail *f, const char *format, ...)
{
    if (f->error_n > FAIL_MAX) return;
    text_add(&f->text, "    note: ");
    va_list args;
    va_start(args, format);
    add_message(&f->text, format, args);
    va_end(args);
}

void fail_nearest(struct fail *f, const struct nearest *n)
{
    if (n->best) fail_note(f, "did you mean '%s'?", n->best);
}

void fail_append(struct fail *f, const struct fail *more)
{
    if (more->error_n && f->error_n < FAIL_MAX) text_add(&f->text, "%s", text_get(&more->text));
    f->error_n += more->error_n;
}

void fail_free(struct fail *f)
{
    text_free(&f->text);
    f->error_n = 0;
}
