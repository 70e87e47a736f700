/* The shared libraries of a program, as listed by the dynamic loader with `ld.so --list`. The
 * loader does not execute the program for this option. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "run/cuda/program.h"
#include "run/io/file.h"
#include "run/jobs/spawn.h"

/* Appends the path of the program's dynamic loader; nothing if the file is linked statically or no
 * 64-bit ELF executable. */
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
    const char *at = !strncmp(path, "/lib", 4) ? path + 4
                     : !strncmp(path, "/usr/lib", 8) ? path + 8 : NULL;
    return at && at[strspn(at, "x3264")] == '/';
}

/* Feeds the library of one line of the loader's list, unless in a system folder. The line is "NAME
 * => PATH (ADDRESS)", or "PATH (ADDRESS)" if the program itself names a path. A relative path is
 * relative to the program's working folder. */
static void feed_line(const struct cuda *c, const char *line, size_t n, struct input_feed *f)
{
    static const char arrow[] = " => ";
    const char *end = line + n, *at = memmem(line, n, arrow, sizeof arrow - 1);
    const char *name = line;
    at = at ? at + sizeof arrow - 1 : line + strspn(line, " \t");
    const char *address = memmem(at, (size_t)(end - at), " (0x", 4);
    if (address) end = address;
    struct text path = {0};
    text_add(&path, "%.*s", (int)(end - at), at);
    if (strchr(text_get(&path), '/') && !is_system(path.bytes)) {
        struct text whole = {0};
        text_add(&whole, "%s%s%s", path.bytes[0] == '/' ? "" : c->folder,
                 path.bytes[0] == '/' ? "" : "/", path.bytes);
        input_feed_part(f, name, (size_t)(at - name));
        program_feed_file(f, whole.bytes);
        text_free(&whole);
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
    if (loader.size) spawn_wait(words, c->folder, &out, &why);
    const char *line = text_get(&out);
    for (size_t n; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        feed_line(c, line, n, f);
    }
    text_free(&loader);
    text_free(&out);
    text_free(&why);
    text_free(&path);
}
