/* Any bytes as a sweep file: errors or a plan of points, never a crash, a hang. */
#include "as_file.h"
#include "run/sweep/sweep_file.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct as_file file = file_begin(data, size);
    struct sweep_file sweep;
    struct fail fail = {0};
    bool ok = sweep_file_open(&sweep, file.path, &fail);
    check(ok == !fail.error_n);
    if (ok) check(sweep_file_points(&sweep) > 0);
    sweep_file_free(&sweep);
    fail_free(&fail);
    file_end(&file);
    return 0;
}
