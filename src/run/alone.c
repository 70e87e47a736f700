#include "run/alone.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "run/key.h"

#define SCHEMA "corun-alone/1"

void alone_take(struct alone *a, const struct sim *isolated)
{
    const struct sim_app *app = &isolated->apps[0];
    a->status = isolated->status;
    a->known = a->status == SIM_COMPLETED || a->status == SIM_CYCLE_LIMIT;
    a->cycles = app->cycles;
    a->thread_instructions = app->stats.sm.inst_thread;
    a->warp_instructions = app->stats.sm.inst_warp;
}

static bool is_set(const char *value) { return value && value[0]; }

/* false: there is no place for a cache */
static bool cache_folder(struct text *out)
{
    const char *own = getenv("CORUN_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (is_set(own)) text_add(out, "%s", own);
    else if (is_set(xdg)) text_add(out, "%s/corun", xdg);
    else if (is_set(home)) text_add(out, "%s/.cache/corun", home);
    else return false;
    return true;
}

static bool entry_path(const u64 key[2], struct text *out)
{
    if (!cache_folder(out)) return false;
    text_add(out, "/");
    key_show(key, out);
    text_add(out, ".json");
    return true;
}

/* The entry without its check sum and closing brace. */
static void show_entry(const struct alone *a, const u64 key[2], struct text *out)
{
    text_add(out, "{\"schema\": \"" SCHEMA "\", \"key\": \"");
    key_show(key, out);
    text_add(out, "\", \"status\": \"%s\", \"cycles\": %llu, \"thread_instructions\": %llu, "
             "\"warp_instructions\": %llu",
             sim_status_name(a->status), (unsigned long long)a->cycles,
             (unsigned long long)a->thread_instructions, (unsigned long long)a->warp_instructions);
}

static void show_sum(struct text *entry)
{
    u64 sum = key_of_bytes(entry->bytes, entry->size);
    text_add(entry, ", \"sum\": \"%016llx\"}\n", (unsigned long long)sum);
}

static bool read_number(const json_t *entry, const char *key, u64 *out)
{
    const json_t *v = json_object_get(entry, key);
    *out = (u64)json_integer_value(v);
    return json_is_integer(v) && json_integer_value(v) >= 0;
}

static bool read_entry(const json_t *entry, struct alone *a)
{
    const char *status = json_string_value(json_object_get(entry, "status"));
    if (!status) return false;
    if (!strcmp(status, sim_status_name(SIM_COMPLETED))) a->status = SIM_COMPLETED;
    else if (!strcmp(status, sim_status_name(SIM_CYCLE_LIMIT))) a->status = SIM_CYCLE_LIMIT;
    else return false;
    a->known = true;
    return read_number(entry, "cycles", &a->cycles) &&
           read_number(entry, "thread_instructions", &a->thread_instructions) &&
           read_number(entry, "warp_instructions", &a->warp_instructions);
}

bool alone_load(struct alone *a, const u64 key[2])
{
    struct text path = {0}, why = {0}, again = {0};
    struct alone got = *a;
    char *bytes = NULL;
    size_t size;
    bool right = entry_path(key, &path) && file_read(path.bytes, &bytes, &size, &why);
    if (right) {
        json_t *entry = json_loadb(bytes, size, 0, NULL);
        right = read_entry(entry, &got);
        json_decref(entry);
    }
    if (right) { /* an entry is right when it is what would be written for its own numbers */
        show_entry(&got, key, &again);
        show_sum(&again);
        right = again.size == size && !memcmp(again.bytes, bytes, size);
    }
    if (right) *a = got;
    free(bytes);
    text_free(&path);
    text_free(&why);
    text_free(&again);
    return right;
}

static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0777);
        *p = '/';
    }
}

void alone_save(const struct alone *a, const u64 key[2])
{
    struct text path = {0}, entry = {0};
    if (a->known && entry_path(key, &path)) {
        make_folders(path.bytes);
        show_entry(a, key, &entry);
        show_sum(&entry);
        struct fail ignored = {0};
        file_write(path.bytes, entry.bytes, entry.size, &ignored);
        fail_free(&ignored);
    }
    text_free(&path);
    text_free(&entry);
}
