/* Any bytes as the database of a sweep: an error, or a report of the sound part, never a crash, a
 * hang. */
#include "as_file.h"
#include "run/page/report.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct as_file file = file_begin(data, size);
    struct store store;
    struct report report = {0};
    struct text damaged = {0}, page = {0};
    struct fail fail = {0};
    if (store_open(&store, file.path, &fail) && report_load(&report, &store, &damaged, &fail))
        report_page(&report, &page);
    report_free(&report);
    store_close(&store);
    text_free(&damaged);
    text_free(&page);
    fail_free(&fail);
    file_end(&file);
    return 0;
}
