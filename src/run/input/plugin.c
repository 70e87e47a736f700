#include "run/input/plugin.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gpu/dispatch/hook_call.h"
#include "base/arena.h"
#include "base/float_control.h"
#include "run/input/compile.h"
#include "run/input/rows.h"
#include "run/io/file.h"
#include "run/io/hasher.h"
#include "run/io/make_rule.h"
#include "run/jobs/process_state.h"

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), e = strlen(end);
    return n > e && !strcmp(name + n - e, end);
}

bool plugin_named(const char *name)
{
    return strchr(name, '/') || ends_in(name, ".c") || ends_in(name, ".so");
}

/* True for headers of the system and of the compiler. A policy's hash does not cover them: it is
 * the same on all machines of a sweep. */
static bool is_of_system(const char *name)
{
    return !strncmp(name, "/usr/include/", 13) || !strncmp(name, "/usr/lib", 8);
}

/* Adds the files included by the policy to the hash, except for corun's own header. false: a file
 * cannot be read. */
static bool hash_included(struct plugin *p, const struct compiled *c, const char *path,
                          struct text *why)
{
    char *list = NULL, *name;
    size_t size;
    if (!file_read(c->list.bytes, &list, &size, why)) return false;
    list = base_realloc(list, size + 1);
    list[size] = 0;
    char *rest = make_rule_files(list);
    const struct text *folder = &c->temp_dir.folder;
    bool read = true;
    while (read && (name = make_rule_next(&rest))) {
        char *bytes = NULL;
        struct text error = {0};
        if (!strcmp(name, path) || !strncmp(name, folder->bytes, folder->size) ||
            is_of_system(name)) continue;
        read = file_read_input(name, &bytes, &size, &error);
        if (read) {
            u64 both[] = {p->hash, hash_of(bytes, size)};
            p->hash = hash_of(both, sizeof both);
        } else {
            text_add(why, "cannot read %s, which it includes: %s", name, text_get(&error));
        }
        text_free(&error);
        free(bytes);
    }
    free(list);
    return read;
}

/* Appends the exported symbols beginning with "corun_". The dynamic section does not state the size
 * of the symbol table; the table ends where the string table begins. */
static void exported(void *handle, struct text *out)
{
    struct link_map *map = NULL;
    const ElfW(Sym) *symbol = NULL;
    const char *names = NULL;
    size_t names_bytes = 0;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map)) return;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB) symbol = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB) names = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRSZ) names_bytes = d->d_un.d_val;
    }
    for (; symbol && (const char *)(symbol + 1) <= names; symbol++) {
        bool has_name = symbol->st_shndx != SHN_UNDEF && symbol->st_name < names_bytes;
        const char *name = has_name ? names + symbol->st_name : "";
        if (!strncmp(name, "corun_", 6)) text_add(out, "%s '%s'", out->size ? "," : "", name);
    }
}

/* Returns the policy: symbol `corun_policy`, or, as in src/policy, `corun_policy_` followed by the
 * file's name without extension. Stores the second name in `name`, for messages. */
static const struct corun_policy *find_policy(void *handle, const char *file, struct text *name)
{
    const char *stem = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const struct corun_policy *p = dlsym(handle, "corun_policy");
    text_add(name, "corun_policy_%.*s", (int)strcspn(stem, "."), stem);
    for (char *c = name->bytes; *c; c++)
        if (*c == '-') *c = '_';
    return p ? p : dlsym(handle, name->bytes);
}

/* ---- constructors and destructors of the file ---- */

struct before {      /* process state before constructors or destructors run */
    u64 floats;
    struct process_state *state;
};

static struct before before_code(void)
{
    return (struct before){float_control(), process_state_take()};
}

/* Restores process state changed by constructors or destructors. If some changes cannot be
 * restored, ends a supervised process (`hook_call` set), otherwise returns false with the reason in
 * `why`. */
static bool after_code(struct plugin *p, struct before *b, struct text *why)
{
    struct process_changes c = {0};
    if (float_control() != b->floats) {
        float_control_set(b->floats);
        c.restored |= PROCESS_FLOATS;
    }
    process_state_look(b->state, p->hook_call, &c);
    process_state_free(b->state);
    if (c.lost.size && p->hook_call) process_lost(p->hook_call, &c.lost);
    bool ok = !c.lost.size;
    if (!ok) text_add(why, "loading the code %s", c.lost.bytes);
    p->changed |= c.restored;
    text_free(&c.lost);
    return ok;
}

static void tell(struct plugin *p, const char *what)
{
    if (!p->hook_call) return;
    p->hook_call->thread = gettid();
    p->hook_call->hook = what;
}

/* Loads shared object `object` and finds the policy. `file` is the file named by the user, from
 * which `object` was compiled. Appends the reason of a failure to `why`. */
static void load(struct plugin *p, const char *object, const char *file, struct text *why)
{
    struct text name = {0};
    struct text path = {0}; /* contains a '/': the loader searches system folders otherwise */
    text_add(&path, "%s%s", strchr(object, '/') ? "" : "./", object);
    struct before before = before_code();
    tell(p, HOOK_CALL_LOAD);
    p->handle = dlopen(path.bytes, RTLD_NOW | RTLD_LOCAL);
    bool kept = after_code(p, &before, why);
    text_free(&path);
    if (!kept) return;
    if (!p->handle) {
        text_add(why, "%s", dlerror());
        return;
    }
    const struct corun_policy *policy = find_policy(p->handle, file, &name);
    if (!policy) {
        struct text others = {0};
        exported(p->handle, &others);
        text_add(why, "the object exports neither 'corun_policy' nor '%s', named like the file; "
                 "exported policies:%s", name.bytes,
                 others.size ? others.bytes : " none (is the struct static?)");
        text_free(&others);
    } else if (policy->abi != CORUN_POLICY_ABI) {
        text_add(why, "built for another version of corun/policy.h, abi %u instead of %d: build "
                 "again with the corun/policy.h of the running corun",
                 policy->abi, CORUN_POLICY_ABI);
    } else if (policy->size_bytes != sizeof *policy) {
        text_add(why, "struct corun_policy has %u bytes instead of %zu: build again with the "
                 "corun/policy.h of the running corun", policy->size_bytes, sizeof *policy);
    } else if (policy->state_bytes > CORUN_STATE_MAX) {
        text_add(why, "state_bytes is %zu, and %zu at most are possible", policy->state_bytes,
                 (size_t)CORUN_STATE_MAX);
    } else if (rows_check(policy, why)) {
        p->policy = policy;
    }
    text_free(&name);
}

bool plugin_open(struct plugin *p, const char *path, struct hook_call *hook_call,
                 const struct source *at, size_t offset, struct fail *fail)
{
    *p = (struct plugin){.file = path, .hook_call = hook_call};
    struct text why = {0};
    char *bytes = NULL;
    size_t size;
    if (file_read_input(path, &bytes, &size, &why)) {
        p->hash = hash_of(bytes, size);
        if (ends_in(path, ".so")) {
            load(p, path, path, &why);
        } else if (ends_in(path, ".c")) {
            struct compiled c;
            u64 key[] = {p->hash, hash_of(path, strlen(path))};
            tell(p, HOOK_CALL_COMPILE);
            if (compile_policy(&c, path, hash_of(key, sizeof key), &why)) {
                if (hash_included(p, &c, path, &why)) load(p, c.object.bytes, path, &why);
            }
            compile_close(&c);
        } else {
            text_add(&why, "expected FILE.c or FILE.so");
        }
    }
    free(bytes);
    bool ok = p->policy != NULL;
    if (!ok) {
        fail_at(fail, at, offset, "cannot use policy %s: %s", path, text_get(&why));
        plugin_close(p);
    }
    text_free(&why);
    return ok;
}

void plugin_close(struct plugin *p)
{
    if (p->handle) {
        struct text why = {0}; /* ignored: the results are complete */
        struct before before = before_code();
        tell(p, HOOK_CALL_UNLOAD);
        dlclose(p->handle);
        after_code(p, &before, &why);
        text_free(&why);
    }
    *p = (struct plugin){0};
}
