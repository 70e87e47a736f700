#include "cli/cc/external.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 5 };

/* Functions without a body in the PTX of corun's headers and in the C library of device code have
 * no C++ names. */
static bool is_function(const char *name) { return !strncmp(name, "_Z", 2); }

/* Appends the name without mangling if the name is a plain function or variable. */
static void show_name(const char *name, size_t n, struct text *out)
{
    char *end = NULL;
    unsigned long length = n > 2 && is_function(name) && isdigit((unsigned char)name[2])
                               ? strtoul(name + 2, &end, 10) : 0;
    if (end && length && length <= n - (size_t)(end - name)) text_put(out, end, length);
    else text_put(out, name, n);
}

/* Returns the declared name in a line of PTX behind ".extern": the last word before '(' for a
 * function ("(.param .b32 r) _Z1fi"), otherwise before ';' or '['. */
static const char *declared(const char *line, size_t *n)
{
    size_t length = strcspn(line, "\n");
    const char *end = line + length;
    const char *stop = memchr(line, ')', length);
    for (const char *at = stop ? stop : line; at < end; at++)
        if (*at == ';' || *at == '[') end = at;
    while (end > line && strchr(" (", end[-1])) end--;
    const char *name = end;
    while (name > line && !strchr(" )", name[-1])) name--;
    *n = (size_t)(end - name);
    return name;
}

bool external_check(const char *source, const char *ptx, struct fail *fail)
{
    static const char *const spaces[] = {".extern .func ", ".extern .global ", ".extern .const "};
    u32 found = 0;
    for (const char *line = ptx; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        u32 kind = 0;
        while (kind < COUNT_OF(spaces) && strncmp(line, spaces[kind], strlen(spaces[kind]))) kind++;
        if (kind == COUNT_OF(spaces)) continue;
        size_t n;
        const char *name = declared(line, &n);
        if ((!kind && !is_function(name)) || found++ >= NAMES_MAX) continue;
        struct text shown = {0};
        show_name(name, n, &shown);
        fail_plain(fail, "%s: device code uses the %s '%s', which the file does not define", source,
                   kind ? "variable" : "function", text_get(&shown));
        text_free(&shown);
    }
    if (found)
        fail_note(fail, "-rdc=true for every file permits device code of other files");
    return !found;
}
