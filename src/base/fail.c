#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SHOWN = 160 }; /* bytes of a source line shown around the caret */

_Noreturn void check_failed(const char *cond, const char *file, int line)
{
    fprintf(stderr, "corun: internal check failed: %s at %s:%d\n"
                    "corun: please report this line with the command and its input\n",
            cond, file, line);
    exit(3);
}

void source_position(const struct source *s, size_t offset, u32 *line, u32 *column)
{
    size_t start = 0;
    u32 n = 1;
    for (size_t i = 0; i < offset && i < s->size; i++) {
        if (s->text[i] == '\n') {
            n++;
            start = i + 1;
        }
    }
    *line = n;
    *column = (u32)(offset - start) + 1;
}

static void show_line(struct text *out, const struct source *s, size_t offset)
{
    size_t start = offset < s->size ? offset : s->size;
    while (start && s->text[start - 1] != '\n') start--;
    size_t end = offset < s->size ? offset : s->size;
    while (end < s->size && s->text[end] != '\n') end++;
    if (offset - start > LINE_SHOWN / 2) start = offset - LINE_SHOWN / 2;
    if (end - start > LINE_SHOWN) end = start + LINE_SHOWN;
    text_put(out, "    ", 4);
    for (size_t i = start; i < end; i++) {
        char c = s->text[i];
        char shown = c == '\t' ? ' ' : (c >= 32 && c < 127) ? c : '?';
        text_put(out, &shown, 1);
    }
    text_add(out, "\n    %*s^\n", (int)(offset - start), "");
}

/* A place in an argument that was taken from a file: in that file, to the byte where the argument
 * stands there as it was given, else where it begins. */
static size_t place_in_file(const struct fail *f, const struct source *s, size_t offset)
{
    const struct source *file = f->file;
    size_t at = f->place;
    if (at < file->size && (file->text[at] == '"' || file->text[at] == '\'')) at++;
    bool same = at + offset <= file->size && !memcmp(file->text + at, s->text, offset);
    return same ? at + offset : f->place;
}

void fail_at(struct fail *f, const struct source *s, size_t offset, const char *format, ...)
{
    if (++f->error_n > FAIL_MAX) return;
    if (f->file && !strcmp(s->name, COMMAND_LINE)) {
        offset = place_in_file(f, s, offset);
        s = f->file;
    }
    u32 line, column;
    source_position(s, offset, &line, &column);
    text_add(&f->text, "%s:%u:%u: error: ", s->name, line, column);
    va_list args;
    va_start(args, format);
    text_addv(&f->text, format, args);
    va_end(args);
    text_put(&f->text, "\n", 1);
    show_line(&f->text, s, offset);
}

void fail_plain(struct fail *f, const char *format, ...)
{
    if (++f->error_n > FAIL_MAX) return;
    text_add(&f->text, "error: ");
    va_list args;
    va_start(args, format);
    text_addv(&f->text, format, args);
    va_end(args);
    text_put(&f->text, "\n", 1);
}

void fail_note(struct fail *f, const char *format, ...)
{
    if (f->error_n > FAIL_MAX) return;
    text_add(&f->text, "    note: ");
    va_list args;
    va_start(args, format);
    text_addv(&f->text, format, args);
    va_end(args);
    text_put(&f->text, "\n", 1);
}

void fail_nearest(struct fail *f, const struct nearest *n)
{
    if (n->best) fail_note(f, "did you mean '%s'?", n->best);
}

void fail_free(struct fail *f)
{
    text_free(&f->text);
    f->error_n = 0;
}
