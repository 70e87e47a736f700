/* Registered and loaded modules: a module is sent at the first use; kernels and variables are found
 * by the address of the host's symbol, by name and by number. */
#include "fake_simulator.h"

#include "cuda/connection/module.h"
#include "cuda/fat_binary.h"

static char kernel, variable, lost; /* host symbols */
static void *managed;

struct fat { /* a fat binary with `bytes` bytes of entries */
    struct fat_header header;
    char entries[16];
};
#define FAT(n, text) {{FAT_MAGIC, 1, sizeof(struct fat_header), n}, text}

/* Answers for variables: an address in constant memory; 24 bytes. */
static void give_variable(struct corun_call *c)
{
    if (c->call != CALL_VARIABLE) return;
    c->got[0] = managed ? WIRE_CONST_START + 64 : WIRE_MEMORY_START + 64;
    c->got[1] = 24;
}

static void **register_module(struct fat_wrapper *w)
{
    void **module = __cudaRegisterFatBinary(w);
    __cudaRegisterFatBinaryEnd(module);
    return module;
}

static void register_function(void **module, const char *host, const char *name)
{
    char *device = corun_pointer(corun_address(name));
    __cudaRegisterFunction(module, host, device, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void test_functions(void **state)
{
    (void)state;
    static const struct fat fat = FAT(5, "abcde");
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, &fat, NULL};
    struct corun_function *f = NULL;
    fake.kernel = (struct wire_kernel){.shared_bytes = 12, .param_n = 2, .param_bytes = 16};
    fake.params[1] = (struct wire_param){8, 4};
    void **module = register_module(&wrapper);
    register_function(module, &kernel, "kernel");
    assert_int_equal(fake.seen_n, 0); /* nothing is sent before the first use */
    assert_int_equal(corun_find_function(&lost, &f), cudaErrorInvalidDeviceFunction);
    assert_int_equal(fake.seen_n, 0);
    assert_int_equal(corun_find_function(&kernel, &f), cudaSuccess);
    assert_int_equal(fake.seen_n, 2);
    assert_int_equal(seen_back(1)->call.call, CALL_MODULE);
    assert_int_equal(seen_back(1)->call.payload_bytes, sizeof fat.header + 5);
    assert_memory_equal(seen_back(1)->payload, &fat, sizeof fat.header + 5);
    assert_int_equal(last_call()->call, CALL_KERNEL);
    assert_int_equal(last_call()->at[0], 1); /* the simulator's number of the module */
    assert_int_equal(last_call()->payload_bytes, 6);
    assert_memory_equal(seen_back(0)->payload, "kernel", 6);
    assert_int_equal(f->of.shared_bytes, 12);
    assert_int_equal(f->params[1].offset, 8);
    assert_int_equal(f->params[1].size_bytes, 4);
    assert_int_equal(f->max_dynamic_shared, -1);
    struct corun_function *again;
    assert_int_equal(corun_find_function(f, &again), cudaSuccess); /* as a cudaKernel_t */
    assert_ptr_equal(again, f);
    assert_ptr_equal(corun_function_of(f->kernel), f);
    assert_null(corun_function_of(f->kernel + 1));
    assert_int_equal(fake.seen_n, 2); /* asked once */
}

/* Fat binaries of device-linked objects are sent one behind the other, without damaged ones. */
static void test_linked(void **state)
{
    (void)state;
    static struct fat fats[] = {FAT(3, "abc"), FAT(4, "defg")};
    static const uint32_t damaged[8] = {0x1234};
    static const void *parts[] = {&fats[0], damaged, &fats[1], NULL};
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, FAT_LINKED, NULL, parts};
    enum { HEAD = sizeof fats[0].header };
    assert_true(__cudaInitModule(register_module(&wrapper)) == 1);
    assert_int_equal(last_call()->call, CALL_MODULE);
    assert_int_equal(last_call()->payload_bytes, HEAD + 3 + HEAD + 4);
    assert_memory_equal(seen_back(0)->payload + HEAD, "abc", 3);
    assert_memory_equal(seen_back(0)->payload + 2 * HEAD + 3, "defg", 4);
}

/* A module that the simulator refuses: every use reports the same error, without another try. */
static void test_refused_module(void **state)
{
    (void)state;
    static const struct fat fat = FAT(1, "x");
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, &fat, NULL};
    static char host;
    struct corun_function *f;
    void **module = register_module(&wrapper);
    register_function(module, &host, "of a bad module");
    fake.refuses[CALL_MODULE] = cudaErrorInvalidPtx;
    assert_true(__cudaInitModule(module) == 0);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidPtx);
    fake.refuses[CALL_MODULE] = cudaSuccess;
    assert_int_equal(corun_find_function(&host, &f), cudaErrorInvalidPtx);
    assert_int_equal(seen_of(CALL_MODULE), 1);
    assert_int_equal(seen_of(CALL_KERNEL), 0);
}

static void test_variables(void **state)
{
    (void)state;
    static const struct fat fat = FAT(1, "y");
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, &fat, NULL};
    uint64_t address = 0, size = 0;
    void **module = register_module(&wrapper);
    fake.on_call = give_variable;
    __cudaRegisterManagedVar(module, &managed, NULL, "managed", 0, 24, 0, 1);
    __cudaRegisterVar(module, &variable, NULL, "variable", 0, 24, 1, 0);
    __cudaRegisterHostVar(module, "host", &lost, 1); /* ignored */
    assert_int_equal(corun_find_variable(&lost, &address, &size), cudaErrorInvalidSymbol);
    assert_false(corun_is_device(corun_pointer(WIRE_CONST_START + 64)));
    assert_int_equal(corun_find_variable(&variable, &address, &size), cudaSuccess);
    /* with the module, the host pointers of managed variables are set */
    assert_ptr_equal(managed, corun_pointer(WIRE_MEMORY_START + 64));
    assert_int_equal(fake.shown_address, WIRE_MEMORY_START + 64);
    assert_int_equal(fake.shown_bytes, 24);
    assert_int_equal(seen_of(CALL_VARIABLE), 2);
    assert_int_equal(address, WIRE_CONST_START + 64);
    assert_int_equal(size, 24);
    assert_int_equal(corun_find_variable(managed, &address, &size), cudaSuccess); /* its memory */
    assert_int_equal(address, WIRE_MEMORY_START + 64);
    assert_int_equal(seen_of(CALL_VARIABLE), 2);
    const struct {
        uint64_t address;
        bool device;
    } places[] = {{WIRE_CONST_START + 63, false}, {WIRE_CONST_START + 64, true},
                  {WIRE_CONST_START + 87, true}, {WIRE_CONST_START + 88, false},
                  {WIRE_MEMORY_START - 1, false}, {WIRE_MEMORY_START, true},
                  {WIRE_MEMORY_END - 1, true}, {WIRE_MEMORY_END, false}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        assert_int_equal(corun_is_device(corun_pointer(places[i].address)), places[i].device);
}

/* Copies to and from variables stay within the variable. */
static void test_symbols(void **state)
{
    (void)state;
    char bytes[24];
    void *address = NULL;
    size_t size = 0;
    fake.on_call = give_variable;
    assert_int_equal(cudaGetSymbolSize(&size, &variable), cudaSuccess);
    assert_int_equal(size, 24);
    assert_int_equal(cudaGetSymbolAddress(&address, &variable), cudaSuccess);
    assert_ptr_equal(address, corun_pointer(WIRE_CONST_START + 64));
    assert_int_equal(cudaMemcpyToSymbol(&variable, bytes, 16, 8, cudaMemcpyHostToDevice),
                     cudaSuccess);
    assert_int_equal(last_copy().to, WIRE_CONST_START + 72);
    assert_int_equal(last_call()->at[1] & COPY_WAITS, COPY_WAITS);
    assert_int_equal(cudaMemcpyFromSymbol(bytes, &variable, 24, 0, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    assert_int_equal(last_copy().from, WIRE_CONST_START + 64);
    assert_int_equal(cudaMemcpyToSymbolAsync(&variable, bytes, 1, 23, cudaMemcpyHostToDevice,
                                             NULL), cudaSuccess);
    assert_int_equal(last_call()->at[1], COPY_STAGED);
    assert_int_equal(cudaMemcpyFromSymbolAsync(bytes, &variable, 1, 23, cudaMemcpyDeviceToHost,
                                               NULL), cudaSuccess);
    const size_t sent = fake.seen_n;
    const enum cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
    assert_refused(cudaErrorInvalidValue, cudaMemcpyToSymbol(&variable, bytes, 17, 8, in));
    assert_refused(cudaErrorInvalidValue, cudaMemcpyToSymbol(&variable, bytes, 1, 25, in));
    assert_refused(cudaErrorInvalidValue, cudaMemcpyFromSymbol(bytes, &variable, 25, 0, out));
    assert_refused(cudaErrorInvalidValue,
                   cudaMemcpyToSymbolAsync(&variable, bytes, SIZE_MAX, 8, in, NULL));
    assert_refused(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&lost, bytes, 1, 0, in));
    assert_refused(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, &lost));
    assert_refused(cudaErrorInvalidValue, cudaGetSymbolSize(NULL, &variable));
    assert_refused(cudaErrorInvalidValue, cudaGetSymbolAddress(NULL, &variable));
    assert_int_equal(fake.seen_n, sent);
}

static void test_loaded_modules(void **state)
{
    (void)state;
    static const struct fat fat = FAT(2, "zz");
    struct CUmod_st *m = NULL;
    struct corun_function *f = NULL, *g = NULL;
    uint64_t address, size;
    fake.on_call = give_variable;
    fake.handle_n = 50;
    assert_int_equal(corun_module(&fat, fat_bytes(&fat), &m), cudaSuccess);
    assert_int_equal(corun_module_function(m, "loaded", &f), cudaSuccess);
    assert_int_equal(last_call()->at[0], 51);
    assert_string_equal(f->name, "loaded");
    assert_ptr_equal(corun_function_of(f->kernel), f);
    assert_int_equal(corun_module_variable(m, "in it", &address, &size), cudaSuccess);
    assert_int_equal(size, 24);
    assert_int_equal(corun_find_reference(m, "texture", true, &address), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_REFERENCE);
    assert_int_equal(last_call()->at[0], 51);
    assert_int_equal(last_call()->at[1], 1);
    fake.refuses[CALL_KERNEL] = fake.refuses[CALL_VARIABLE] = cudaErrorSymbolNotFound;
    assert_int_equal(corun_module_function(m, "missing", &g), cudaErrorSymbolNotFound);
    assert_null(g);
    assert_int_equal(corun_module_variable(m, "missing", &address, &size),
                     cudaErrorSymbolNotFound);
    assert_ptr_equal(corun_function_of(f->kernel), f); /* the list is intact */
    fake.refuses[CALL_MODULE] = cudaErrorNoKernelImageForDevice;
    assert_int_equal(corun_module(&fat, fat_bytes(&fat), &m), cudaErrorNoKernelImageForDevice);
    assert_null(m);
}

int main(void)
{
    /* modules stay registered from test to test, as in a program */
    const struct CMUnitTest tests[] = {
        TEST(test_functions), TEST(test_linked), TEST(test_refused_module), TEST(test_variables),
        TEST(test_symbols), TEST(test_loaded_modules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
