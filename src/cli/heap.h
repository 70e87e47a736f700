/* The heap of malloc, with huge pages. In a virtual machine the first write to a page may take 20
 * microseconds, and a short run writes thousands of small pages. */
#ifndef CORUN_HEAP_H
#define CORUN_HEAP_H

/* Extends the heap, which is empty when the process starts, by some megabytes of huge pages. Call
 * first in main. No effect if the host has no huge pages or malloc is not that of glibc. */
void heap_extend(void);

#endif
