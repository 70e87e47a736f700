/* corun list: prints lists of machines, policies, options etc.; with --markdown, the pages of
 * docs/. */
#include <string.h>
#include "cli/common/command.h"
#include "cli/terminal/columns.h"

static void note_lists(struct fail *fail)
{
    for (u32 i = 0; i < catalog_list_n; i++)
        fail_note(fail, "%s: %s", catalog_lists[i].name, catalog_lists[i].sentence);
}

int command_list(const struct options *o, struct console *c)
{
    if (o->operand_n != 1) {
        fail_plain(&c->fail, o->operand_n ? "expected one list" : "expected the name of a list");
        note_lists(&c->fail);
        return EXIT_INPUT;
    }
    const char *name = o->operands[0];
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < catalog_list_n; i++) {
        nearest_offer(&nearest, catalog_lists[i].name);
        if (strcmp(catalog_lists[i].name, name)) continue;
        if (o->schema && !strcmp(name, "result")) {
            catalog_schema(&c->out);
            return EXIT_DONE;
        }
        if (o->schema) break;
        struct catalog list;
        catalog_lists[i].make(&list);
        if (!strcmp(name, "options")) options_list(&list);
        catalog_show(&list, o->markdown, columns_of_list(), &c->out);
        catalog_free(&list);
        return EXIT_DONE;
    }
    struct source source = {COMMAND_LINE, name, strlen(name)};
    if (o->schema) {
        fail_at(&c->fail, &source, 0, "--schema is only for corun list result");
        return EXIT_INPUT;
    }
    fail_at(&c->fail, &source, 0, "unknown list '%s'", name);
    fail_nearest(&c->fail, &nearest);
    note_lists(&c->fail);
    return EXIT_INPUT;
}
