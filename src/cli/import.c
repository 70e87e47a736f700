/* corun import: writes a machine file from a configuration of GPGPU-Sim. */
#include <string.h>
#include "cli/common/setup.h"
#include "run/import/import.h"

/* Returns the length of the machine's name: the name of the output, or of the configuration, up to
 * the first dot. */
static size_t name_size(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    return strcspn(*name, ".");
}

int command_import(const struct options *o, struct console *c)
{
    const char *path = o->import_output ? o->import_output : "-", *from;
    const struct output output = output_option("-o", o->import_output);
    struct import_setup setup = {.icnt = o->icnt, .force = o->force};
    struct text name = {0}, file = {0};
    if (o->operand_n != 1) {
        fail_plain(&c->fail, "expected one configuration of GPGPU-Sim");
        fail_note(&c->fail, "for example corun import gpgpusim.config -o mine.yaml");
        return EXIT_INPUT;
    }
    setup.config = o->operands[0];
    size_t size = name_size(strcmp(path, "-") ? path : setup.config, &from);
    text_add(&name, "%.*s", (int)size, from);
    setup.name = text_get(&name);
    for (u32 i = 0; i < o->need.n; i++)
        import_need_parse(&setup.needs[setup.need_n++], o->need.at[i], &c->fail);
    struct text told = {0};
    bool ok = !c->fail.error_n && import_make(&setup, &file, &told, &c->fail) &&
              setup_outputs(&output, 1, o, &c->fail) && setup_write(path, &file, c);
    if (ok) text_put(&c->fail.text, told.bytes, told.size);
    text_free(&told);
    text_free(&name);
    text_free(&file);
    return ok ? EXIT_DONE : EXIT_INPUT;
}
