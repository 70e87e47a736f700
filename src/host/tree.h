/* A YAML text as a tree. Each node records its position for messages with line, column and caret.
 * The reader consumes the events of libyaml, which bounds the depth: 100,000 nested braces end at
 * TREE_DEPTH. Anchors, aliases, tags and a second document are rejected by name: app files do not
 * need them, and positions would become ambiguous. */
#ifndef CORUN_TREE_H
#define CORUN_TREE_H

#include "base/arena.h"
#include "base/fail.h"

enum { TREE_DEPTH = 16, TREE_MAP_MAX = 1024 };

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP, NODE_ANY /* only in a key_row */ };
struct node {
    enum node_kind kind;
    const char *text; /* NODE_TEXT: NUL-terminated, without inner NUL; NODE_LIST, NODE_MAP: "" */
    size_t offset;    /* offset of the node's first byte in the source */
    u32 n;            /* items of a list, pairs of a map */
    struct node *first; /* items in order; of a map: the keys, each with its value */
    struct node *next;
    struct node *value;
};

/* Parses a whole text. Returns NULL with an error in `fail`. */
struct node *tree_parse(const struct source *source, struct arena *arena, struct fail *fail);

/* Appends a tree in a form that tree_read reads faster than tree_parse the text. For trees that the
 * build makes from shipped files (run/input/machine_trees.c). */
void tree_write(const struct node *root, struct text *out);
/* Returns the tree of tree_write. The nodes' texts stay in `bytes`. */
struct node *tree_read(const char *bytes, struct arena *arena);

const char *node_kind_name(enum node_kind kind); /* "a list" */

/* A key of a map with known keys. */
struct key_row {
    const char *key;
    enum node_kind kind;
    bool needed;
};
/* Stores the value of each row's key in values[row], NULL if absent. Adds an error for each key
 * that is unknown (with the nearest known key), duplicate, missing, or with a value of the wrong
 * kind; `what` names the map. Returns false if an error was added. */
bool tree_keys(const struct node *map, const char *what, const struct key_row *rows, u32 row_n,
               const struct node **values, const struct source *source, struct fail *fail);
/* Checks a map whose keys are names chosen by the user: adds an error for each duplicate key and
 * for each value of a kind other than `kind`. */
bool tree_names(const struct node *map, const char *what, enum node_kind kind,
                const struct source *source, struct fail *fail);

#endif
