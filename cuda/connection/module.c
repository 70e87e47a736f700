/* Registrations by compiler-generated code before main: fat binaries, and the host functions and
 * variables that correspond to their kernels and variables. A fat binary is sent to the simulator
 * at the first use of a kernel or variable. */
#include "cuda/connection/module.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/connection/client.h"
#include "cuda/connection/error.h"
#include "cuda/fat_binary.h"

struct CUmod_st {
    const struct fat_wrapper *wrapper;
    bool asked;
    cudaError_t error;
    uint64_t number; /* the simulator's number */
    void **objects;  /* relocatable fat binaries, NULL-terminated; NULL: not relocatable */
    size_t object_n;
};
struct host_variable {
    const void *host;
    struct CUmod_st *module;
    const char *name;
    void **managed; /* host pointer to a managed variable; NULL: not managed */
    bool found;
    uint64_t address, size;
};
static struct CUmod_st **modules;
static struct corun_function **functions;
static struct host_variable **variables;
static size_t module_n, function_n, variable_n;
static size_t module_room, function_room, variable_room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Appends a zeroed element to a list of pointers. */
static void *list_push(void ***list, size_t *n, size_t *room, size_t bytes)
{
    if (*n == *room) {
        *room = *room ? 2 * *room : 16;
        *list = realloc(*list, *room * sizeof **list);
        if (!*list) abort();
    }
    void *one = calloc(1, bytes);
    if (!one) abort();
    return (*list)[(*n)++] = one;
}
#define LIST_PUSH(list, n, room) list_push((void ***)&(list), &(n), &(room), sizeof **(list))

/* Adds a relocatable fat binary to the module of all relocatable fat binaries registered before the
 * first use of a kernel. */
static void **register_object(void *fat)
{
    static struct CUmod_st *m;
    pthread_mutex_lock(&lock);
    if (!m || m->asked) m = LIST_PUSH(modules, module_n, module_room);
    m->objects = realloc(m->objects, (m->object_n + 2) * sizeof *m->objects);
    if (!m->objects) abort();
    m->objects[m->object_n++] = fat;
    m->objects[m->object_n] = NULL;
    pthread_mutex_unlock(&lock);
    return (void **)m;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    const struct fat_wrapper *w = wrapper;
    if (fat_is_relocatable(w->data)) return register_object((void *)(uintptr_t)w->data);
    struct CUmod_st *m = LIST_PUSH(modules, module_n, module_room);
    m->wrapper = wrapper;
    return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **module) { (void)module; }
void __cudaUnregisterFatBinary(void **module) { (void)module; }

void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name,
                            int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp_size)
{
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    struct corun_function *f = LIST_PUSH(functions, function_n, function_room);
    f->host = host;
    f->module = module;
    f->name = name;
    f->max_dynamic_shared = f->carveout = -1;
}

void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global)
{
    (void)device, (void)external, (void)size, (void)constant, (void)global;
    struct host_variable *v = LIST_PUSH(variables, variable_n, variable_room);
    v->host = host;
    v->module = (struct CUmod_st *)module;
    v->name = name;
}

void __cudaRegisterManagedVar(void **module, void **host, char *device, const char *name,
                              int external, size_t size, int constant, int global)
{
    (void)device, (void)external, (void)size, (void)constant, (void)global;
    struct host_variable *v = LIST_PUSH(variables, variable_n, variable_room);
    v->host = host;
    v->module = (struct CUmod_st *)module;
    v->name = name;
    v->managed = host;
}

bool corun_is_managed_variable(uint64_t address)
{
    bool is = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < variable_n && !is; i++) {
        const struct host_variable *v = variables[i];
        is = v->managed && v->found && address - v->address < v->size;
    }
    pthread_mutex_unlock(&lock);
    return is;
}

/* ---- loading on demand ---- */

static cudaError_t ask_named(const struct CUmod_st *m, struct corun_call *c, const char *name)
{
    c->at[0] = m->number;
    c->payload = name;
    c->payload_bytes = strlen(name);
    return corun_do(c);
}

static cudaError_t variable_ask(struct host_variable *v)
{
    if (v->found) return cudaSuccess;
    struct corun_call c = {.call = CALL_VARIABLE};
    cudaError_t error = ask_named(v->module, &c, v->name);
    if (error) return error;
    v->address = c.got[0];
    v->size = c.got[1];
    v->found = true;
    if (v->managed) {
        corun_show(v->address, v->size);
        *v->managed = corun_pointer(v->address);
    }
    return cudaSuccess;
}

/* `given`: the program loads the module with a call that returns errors of the code. */
static cudaError_t fat_ask(struct CUmod_st *m, const void *fat, size_t bytes, size_t code_bytes,
                           bool given)
{
    struct corun_call c = {.call = CALL_MODULE, .at = {code_bytes, given}, .payload = fat,
                           .payload_bytes = bytes};
    cudaError_t error = corun_do(&c);
    m->number = c.got[0];
    return error;
}

static char *fat_append(char *all, size_t *n, const void *fat)
{
    size_t bytes = fat_bytes(fat);
    all = realloc(all, *n + bytes + 1);
    if (!all) abort();
    if (bytes) memcpy(all + *n, fat, bytes);
    *n += bytes;
    return all;
}

/* Sends the fat binaries of objects linked by the device linker, one behind the other, and the
 * linker's fat binary with machine code; NULL: of objects without machine code. */
static cudaError_t linked_ask(struct CUmod_st *m, void *const *fats, const void *code)
{
    size_t n = 0;
    char *all = NULL;
    for (; *fats; fats++) all = fat_append(all, &n, *fats);
    all = fat_append(all, &n, code);
    cudaError_t error = fat_ask(m, all, n, fat_bytes(code), false);
    free(all);
    return error;
}

/* Sends a module to the simulator and sets the host pointers of managed variables. */
static cudaError_t module_ask(struct CUmod_st *m)
{
    if (m->asked) return m->error;
    const struct fat_wrapper *w = m->wrapper;
    m->asked = true;
    if (m->objects) m->error = linked_ask(m, m->objects, NULL);
    else if (w->version == FAT_LINKED && w->more) m->error = linked_ask(m, w->more, w->data);
    else m->error = fat_ask(m, w->data, fat_bytes(w->data), 0, false);
    for (size_t i = 0; i < variable_n && !m->error; i++)
        if (variables[i]->module == m && variables[i]->managed)
            m->error = variable_ask(variables[i]);
    return m->error;
}

char __cudaInitModule(void **module)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = module_ask((struct CUmod_st *)module);
    pthread_mutex_unlock(&lock);
    return !corun_note(error);
}

static cudaError_t function_ask(struct corun_function *f)
{
    struct CUmod_st *m = (struct CUmod_st *)f->module;
    if (f->found) return cudaSuccess;
    cudaError_t error = module_ask(m);
    if (error) return error;
    void *got = NULL;
    struct corun_call c = {.call = CALL_KERNEL, .out_new = &got};
    error = ask_named(m, &c, f->name);
    if (!error && c.got_bytes >= sizeof f->of) {
        memcpy(&f->of, got, sizeof f->of);
        f->params = calloc(f->of.param_n + 1u, sizeof *f->params);
        if (!f->params) abort();
        memcpy(f->params, (char *)got + sizeof f->of, f->of.param_n * sizeof *f->params);
        f->kernel = (uint32_t)c.got[0];
        f->found = true;
    }
    free(got);
    return error;
}

cudaError_t corun_find_function(const void *host, struct corun_function **out)
{
    cudaError_t error = cudaErrorInvalidDeviceFunction;
    pthread_mutex_lock(&lock);
    /* A host function or a cudaKernel_t, the address of the struct itself. */
    for (size_t i = 0; i < function_n; i++) {
        if (functions[i]->host != host && (const void *)functions[i] != host) continue;
        *out = functions[i];
        error = function_ask(*out);
        break;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

struct corun_function *corun_function_of(uint32_t kernel)
{
    struct corun_function *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < function_n && !found; i++)
        if (functions[i]->found && functions[i]->kernel == kernel) found = functions[i];
    pthread_mutex_unlock(&lock);
    return found;
}

cudaError_t corun_find_variable(const void *host, uint64_t *address, uint64_t *size)
{
    cudaError_t error = cudaErrorInvalidSymbol;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < variable_n; i++) {
        struct host_variable *v = variables[i];
        if (v->host != host && !(v->managed && v->found && *v->managed == host)) continue;
        error = module_ask(v->module);
        if (!error) error = variable_ask(v);
        *address = v->address;
        *size = v->size;
        break;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t corun_find_reference(struct CUmod_st *m, const char *name, bool surface,
                                 uint64_t *handle)
{
    struct corun_call c = {.call = CALL_REFERENCE, .at = {0, surface}};
    pthread_mutex_lock(&lock);
    cudaError_t error = module_ask(m);
    if (!error) error = ask_named(m, &c, name);
    pthread_mutex_unlock(&lock);
    *handle = c.got[0];
    return error;
}

static bool is_variable(uint64_t address)
{
    bool is = false;
    if (address < WIRE_CONST_START || address >= WIRE_CONST_END) return false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < variable_n && !is; i++)
        is = variables[i]->found && address - variables[i]->address < variables[i]->size;
    pthread_mutex_unlock(&lock);
    return is;
}

bool corun_is_device(const void *p)
{
    uint64_t a = corun_address(p);
    return (a >= WIRE_MEMORY_START && a < WIRE_MEMORY_END) || is_variable(a);
}

/* ---- modules loaded by the program ---- */

cudaError_t corun_module(const void *fat, size_t bytes, struct CUmod_st **module)
{
    pthread_mutex_lock(&lock);
    struct CUmod_st *m = LIST_PUSH(modules, module_n, module_room);
    m->asked = true;
    m->error = fat_ask(m, fat, bytes, 0, true);
    pthread_mutex_unlock(&lock);
    *module = m->error ? NULL : m;
    return m->error;
}

cudaError_t corun_module_function(struct CUmod_st *module, const char *name,
                                  struct corun_function **out)
{
    pthread_mutex_lock(&lock);
    struct corun_function *f = LIST_PUSH(functions, function_n, function_room);
    f->module = (void **)module;
    f->name = strdup(name);
    f->max_dynamic_shared = f->carveout = -1;
    cudaError_t error = function_ask(f);
    if (error) free(functions[--function_n]);
    pthread_mutex_unlock(&lock);
    *out = error ? NULL : f;
    return error;
}

cudaError_t corun_module_variable(struct CUmod_st *module, const char *name, uint64_t *address,
                                  uint64_t *size)
{
    pthread_mutex_lock(&lock);
    struct host_variable *v = LIST_PUSH(variables, variable_n, variable_room);
    v->module = module;
    v->name = strdup(name);
    cudaError_t error = variable_ask(v);
    *address = v->address;
    *size = v->size;
    if (error) free(variables[--variable_n]);
    pthread_mutex_unlock(&lock);
    return error;
}

/* Registers a host variable accessible to kernels; ignored, because supported kernels use no host
 * variables. */
void __cudaRegisterHostVar(void **module, const char *name, char *host, size_t size)
{
    (void)module, (void)name, (void)host, (void)size;
}
