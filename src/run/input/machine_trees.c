/* A program of the build: writes the C file with machine_tree (machine_tree.h).
 *   machine_trees OUTPUT NAME=FILE.yaml... */
#include <stdio.h>
#include <string.h>
#include "host/tree.h"

static bool read_file(const char *path, struct text *out)
{
    char bytes[4096];
    FILE *f = fopen(path, "r");
    if (!f) return false;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, f)) > 0;) text_put(out, bytes, n);
    return !fclose(f);
}

/* Writes the tree of a file as an array of bytes. */
static bool tree_show(FILE *to, int number, const char *path)
{
    struct text yaml = {0}, tree = {0};
    struct arena arena;
    struct fail fail = {0};
    arena_init(&arena);
    bool good = read_file(path, &yaml);
    struct source source = {path, text_get(&yaml), yaml.size};
    const struct node *root = good ? tree_parse(&source, &arena, &fail) : NULL;
    if (root) {
        tree_write(root, &tree);
        fprintf(to, "static const u8 tree%d[] = {", number);
        for (size_t i = 0; i < tree.size; i++)
            fprintf(to, "%s%d,", i % 24 ? "" : "\n    ", (u8)tree.bytes[i]);
        fputs("\n};\n", to);
    } else {
        fprintf(stderr, "%s: %s\n", path, good ? text_get(&fail.text) : "not readable");
    }
    fail_free(&fail);
    arena_free(&arena);
    text_free(&yaml);
    text_free(&tree);
    return root;
}

int main(int n, char **words)
{
    FILE *to = n > 1 ? fopen(words[1], "w") : NULL;
    if (!to) return 1;
    bool good = true;
    fputs("#include <string.h>\n#include \"base/base.h\"\n"
          "#include \"run/input/machine_tree.h\"\n", to);
    for (int i = 2; i < n; i++) good &= tree_show(to, i, strchr(words[i], '=') + 1);
    fputs("const char *machine_tree(const char *name)\n{\n", to);
    for (int i = 2; i < n; i++)
        fprintf(to, "    if (!strcmp(name, \"%.*s\")) return (const char *)tree%d;\n",
                (int)strcspn(words[i], "="), words[i], i);
    fputs("    return NULL;\n}\n", to);
    return !(fclose(to) == 0 && good);
}
