/* corun export: writes a database of results as CSV. */
#include "cli/common/setup.h"
#include "run/sweep/export.h"

int command_export(const struct options *o, struct console *c)
{
    if (o->operand_n != 1)
        fail_plain(&c->fail, "expected one database of results from corun sweep");
    if (!o->export_csv) fail_plain(&c->fail, "corun export needs --csv FILE, or - for a pipe");
    const struct output csv = output_option("--csv", o->export_csv);
    for (u32 i = 0; i < o->operand_n; i++) reads_note(o->operands[i]);
    if (c->fail.error_n || !outputs_check(&csv, 1, &c->fail)) return EXIT_INPUT;
    struct store store;
    struct text text = {0};
    bool ok = store_open(&store, o->operands[0], &c->fail) &&
              export_csv(&store, &text, &c->fail) && setup_write(o->export_csv, &text, c);
    text_free(&text);
    store_close(&store);
    return ok ? EXIT_DONE : EXIT_INPUT;
}
