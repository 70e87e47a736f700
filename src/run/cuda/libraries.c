/* Which libraries a program is linked with, as the dynamic loader says it: its own answer to
 * `ld.so --list`, which runs nothing of the program. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "run/cuda/program.h"
#include "run/io/file.h"
#include "run/jobs/spawn.h"

/* The loader that a program names; "": it is linked statically, or no program of this machine. */
static void loader_of(const char *bytes, size_t n, struct text *out)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    if (n < sizeof head) return;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64) return;
    for (u64 i = 0; i < head.e_phnum; i++) {
        u64 at = head.e_phoff + i * sizeof part;
        if (at > n || n - at < sizeof part) return;
        memcpy(&part, bytes + at, sizeof part);
        if (part.p_type != PT_INTERP) continue;
        if (part.p_offset < n && part.p_filesz <= n - part.p_offset)
            text_add(out, "%.*s", (int)part.p_filesz, bytes + part.p_offset);
        return;
    }
}

static bool is_system(const char *path)
{
    return !strncmp(path, "/lib", 4) || !strncmp(path, "/usr/lib", 8);
}

/* A line is "NAME => PATH (ADDRESS)". */
static void feed_line(const char *line, size_t n, struct input_feed *f)
{
    static const char arrow[] = " => ";
    const char *at = memmem(line, n, arrow, sizeof arrow - 1);
    if (!at) return;
    at += sizeof arrow - 1;
    struct text path = {0};
    text_put(&path, at, n - (size_t)(at - line));
    char *address = memmem(path.bytes, path.size, " (0x", 4);
    if (address) *address = 0;
    if (path.bytes[0] == '/' && !is_system(path.bytes)) {
        input_feed_part(f, line, (size_t)(at - line));
        program_feed_file(f, path.bytes);
    }
    text_free(&path);
}

void libraries_feed(const struct cuda *c, struct input_feed *f)
{
    struct text loader = {0}, out = {0}, why = {0}, path = {0};
    char *bytes = NULL;
    size_t size = 0;
    if (file_read(c->path, &bytes, &size, &why)) loader_of(bytes, size, &loader);
    free(bytes);
    program_library_path(c, &path);
    const char *const words[] = {loader.bytes, "--library-path", path.bytes, "--list", c->path,
                                 NULL};
    if (loader.size) spawn_wait(words, &out, &why);
    const char *line = text_get(&out);
    for (size_t n; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        feed_line(line, n, f);
    }
    text_free(&loader);
    text_free(&out);
    text_free(&why);
    text_free(&path);
}
