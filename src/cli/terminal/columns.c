#include "cli/terminal/columns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static u32 wide_of_terminal(void)
{
    const char *said = getenv("COLUMNS");
    char *end = NULL;
    unsigned long n = said ? strtoul(said, &end, 10) : 0;
    if (n && n <= UINT16_MAX && !*end) return (u32)n;
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

u32 columns_wide(void)
{
    u32 n = isatty(STDOUT_FILENO) == 1 ? wide_of_terminal() : 0;
    return n ? max_u32(n, COLUMNS_LEAST) : COLUMNS_DEFAULT;
}

u32 columns_of_list(void) { return isatty(STDOUT_FILENO) == 1 ? columns_wide() : COLUMNS_MOST; }

void columns_wrap(struct text *t, size_t from, u32 columns)
{
    char *line = t->bytes ? t->bytes + from : NULL;
    while (line && *line) {
        size_t n = strcspn(line, "\n"), at = columns;
        if (n <= columns) {
            line += n + (line[n] != 0);
            continue;
        }
        while (at && line[at] != ' ') at--;
        if (!at) at = strcspn(line, " \n"); /* a word longer than a line */
        line += at;
        if (*line) *line++ = '\n';
    }
}

/* Returns the largest length up to `n` at which no character of `name` is cut. */
static size_t whole(const char *name, size_t n)
{
    while (n && ((u8)name[n] & 0xc0) == 0x80) n--;
    return n;
}

const char *columns_shorten(const char *name, u32 most, char *room)
{
    size_t n = strlen(name);
    if (n <= most) return memcpy(room, name, n + 1);
    size_t head = whole(name, (most - 3 + 1) / 2), tail = n - (most - 3) / 2;
    while (tail < n && ((u8)name[tail] & 0xc0) == 0x80) tail++;
    memcpy(room, name, head);
    memcpy(room + head, "...", 3);
    memcpy(room + head + 3, name + tail, n - tail + 1);
    return room;
}
