/* Kernels, variables and references of the modules that the compiler has registered or the program
 * has loaded. A module is sent to the simulator at the first use. */
#ifndef CORUN_MODULE_H
#define CORUN_MODULE_H

#include <stdbool.h>

#include "cuda/include/cuda_runtime_api.h"
#include "cuda/wire.h"

struct corun_function { /* a kernel, known to the program by the address of its host function */
    const void *host;
    void **module;
    const char *name;
    bool found;
    uint32_t kernel; /* the simulator's number */
    struct wire_kernel of;
    struct wire_param *params;
    int max_dynamic_shared; /* set by the program; -1: not set */
    int carveout;       /* preferred shared memory, percent of the most; -1: not set */
    bool large_clusters; /* clusters of more than 8 blocks are allowed */
    enum cudaFuncCache cache; /* the same preference by name; None: not set */
};
cudaError_t corun_find_function(const void *host, struct corun_function **out);
cudaError_t corun_find_variable(const void *host, uint64_t *address, uint64_t *size);
bool corun_is_managed_variable(uint64_t address); /* also inside the variable */
struct corun_function *corun_function_of(uint32_t kernel); /* find by number; NULL: unknown */
/* Load a module at run time and find its contents. */
struct CUmod_st;
cudaError_t corun_module(const void *fat, size_t bytes, struct CUmod_st **module);
cudaError_t corun_module_function(struct CUmod_st *module, const char *name,
                                  struct corun_function **out);
cudaError_t corun_module_variable(struct CUmod_st *module, const char *name, uint64_t *address,
                                  uint64_t *size);
/* Finds a texture or surface reference in any module. */
cudaError_t corun_find_reference(struct CUmod_st *module, const char *name, bool surface,
                                 uint64_t *handle);
/* Returns true for addresses of device, managed and pinned memory and of constant variables. */
bool corun_is_device(const void *p);

#endif
