#include "host/coroutine.h"

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define COROUTINE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COROUTINE_ASAN 1
#endif
#endif
#ifdef COROUTINE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum { STACK_BYTES = 1 << 20, GUARD_BYTES = 1 << 16 };

/* AddressSanitizer must be notified of every change of stack, before the old stack is left (leave)
 * and after the new stack is entered (arrive). */
static void leave(void **fake, const void *bottom, size_t size)
{
#ifdef COROUTINE_ASAN
    __sanitizer_start_switch_fiber(fake, bottom, size);
#else
    (void)fake, (void)bottom, (void)size;
#endif
}

static void arrive(void *fake, const void **bottom, size_t *size)
{
#ifdef COROUTINE_ASAN
    __sanitizer_finish_switch_fiber(fake, bottom, size);
#else
    (void)fake, (void)bottom, (void)size;
#endif
}

/* Replaces swapcontext, whose change of stack AddressSanitizer cannot follow. */
static void change(ucontext_t *from, ucontext_t *to)
{
    volatile bool back = false;
    check(getcontext(from) == 0);
    if (back) return;
    back = true;
    setcontext(to);
    check_failed("setcontext", __FILE__, __LINE__);
}

_Noreturn void coroutine_end(struct coroutine *c)
{
    c->ended = true;
    leave(NULL, c->outside_bottom, c->outside_size); /* NULL: this stack is never entered again */
    setcontext(&c->outside);
    check_failed("setcontext", __FILE__, __LINE__);
}

static void entry(u32 low, u32 high)
{
    struct coroutine *c =
        (struct coroutine *)((uintptr_t)high << 32 | low); /* makecontext passes only ints */
    arrive(NULL, &c->outside_bottom, &c->outside_size);
    if (!c->stopping) c->run(c->with);
    coroutine_end(c);
}

void coroutine_start(struct coroutine *c, void (*run)(void *with), void *with)
{
    *c = (struct coroutine){.run = run, .with = with};
    void *map = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED || mprotect(map, GUARD_BYTES, PROT_NONE))
        out_of_memory(GUARD_BYTES + STACK_BYTES, "the stack of an app's host program");
    c->stack = map;
    check(getcontext(&c->inside) == 0);
    c->inside.uc_stack.ss_sp = c->stack + GUARD_BYTES;
    c->inside.uc_stack.ss_size = STACK_BYTES;
    c->inside.uc_link = NULL;
    uintptr_t self = (uintptr_t)c;
    makecontext(&c->inside, (void (*)(void))entry, 2, (u32)self, (u32)(self >> 32));
}

void coroutine_resume(struct coroutine *c)
{
    check(c->stack && !c->ended);
    leave(&c->fake_outside, c->stack + GUARD_BYTES, STACK_BYTES);
    change(&c->outside, &c->inside);
    arrive(c->fake_outside, NULL, NULL);
}

void coroutine_yield(struct coroutine *c)
{
    leave(&c->fake_inside, c->outside_bottom, c->outside_size);
    change(&c->inside, &c->outside);
    arrive(c->fake_inside, &c->outside_bottom, &c->outside_size);
    if (c->stopping) coroutine_end(c);
}

void coroutine_stop(struct coroutine *c)
{
    if (!c->stack) return;
    if (!c->ended) {
        c->stopping = true;
        coroutine_resume(c);
    }
#ifdef COROUTINE_ASAN
    __asan_unpoison_memory_region(c->stack + GUARD_BYTES,
                                  STACK_BYTES); /* frames that were never left */
#endif
    munmap(c->stack, GUARD_BYTES + STACK_BYTES);
    c->stack = NULL;
}
