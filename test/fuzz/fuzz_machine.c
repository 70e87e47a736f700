/* Any bytes as a machine file: errors or a machine, never a crash, a hang. */
#include "as_file.h"
#include "run/input/gpu_file.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct as_file file = file_begin(data, size);
    struct gpu_file gpu;
    struct fail fail = {0};
    bool ok = gpu_file_open(&gpu, file.path, NULL, 0, &fail);
    check(ok == !fail.error_n);
    gpu_file_free(&gpu);
    fail_free(&fail);
    file_end(&file);
    return 0;
}
