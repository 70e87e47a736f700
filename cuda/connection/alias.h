/* Pages of the program that kernels access: the program and the device have the same pages, at an
 * address of each. Addresses and sizes are multiples of 4096. */
#ifndef CORUN_ALIAS_H
#define CORUN_ALIAS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the device address of pages that are the device's already; 0: some are not, or the pages
 * are not adjacent in device memory. */
uint64_t corun_aliased(uint64_t address, uint64_t size);
/* True if the program shares pages with other processes, which would not see the device's pages. */
bool corun_is_shared(uint64_t address, uint64_t size);
/* Replaces pages of the program by the pinned pages at `device`, with the same contents. Pages that
 * are the device's already keep their device address, and get the new address in addition. Returns
 * false if the pages cannot be mapped. */
bool corun_alias(uint64_t address, uint64_t device, uint64_t size);

#endif
