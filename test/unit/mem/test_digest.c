/* Hashes of allocations: equal contents have equal hashes; marked changes are seen, and only
 * changed chunks are hashed again; untouched pages of a shared mapping stay untouched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem/digest.h"

enum { SIZE = 3 * CHUNK_BYTES + 100 };
static struct image m;
static struct allocation *a, *b;

static int setup(void **state)
{
    (void)state;
    image_init(&m, NULL);
    u64 first = image_alloc(&m, SIZE, "a"), second = image_alloc(&m, SIZE, "b");
    a = image_at(&m, first);
    b = image_at(&m, second);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    image_free(&m);
    return 0;
}

static bool equal(void) { return hash_equal(digest_of(&m, a), digest_of(&m, b)); }

static void test_contents(void **state)
{
    (void)state;
    assert_int_equal(digest_chunks(a), 4);
    assert_int_equal(digest_chunk_bytes(a, 2), CHUNK_BYTES);
    assert_int_equal(digest_chunk_bytes(a, 3), 100);
    assert_int_equal(digest_due(&m, a), SIZE);
    assert_true(equal());
    assert_int_equal(digest_due(&m, a), 0);
    u8 one = 1;
    image_write(&m, a->start + SIZE - 1, &one, 1);
    assert_int_equal(digest_due(&m, a), 100);
    assert_false(equal());
    image_write(&m, b->start + SIZE - 1, &one, 1);
    assert_true(equal());
    struct hash128 before = digest_of(&m, a);
    memset(a->bytes + CHUNK_BYTES - 1, 5, 2); /* in two chunks */
    assert_true(hash_equal(digest_of(&m, a), before));
    image_changes(&m, a->start + CHUNK_BYTES - 1, 2);
    assert_int_equal(digest_due(&m, a), 2 * CHUNK_BYTES);
    assert_false(equal());
    memset(b->bytes + CHUNK_BYTES - 1, 5, 2);
    image_changes(&m, b->start + CHUNK_BYTES - 1, UINT64_MAX); /* up to the end */
    assert_int_equal(digest_due(&m, b), SIZE);
    assert_true(equal());
}

/* timed launches and the host may have changed any byte */
static void test_all(void **state)
{
    (void)state;
    assert_true(equal());
    a->bytes[7] = 1;
    image_changes_all(&m);
    assert_int_equal(digest_due(&m, b), SIZE);
    assert_false(equal());
    image_host_writes(&m, b->start + 3);
    b->bytes[7] = 1;
    assert_true(equal());
    b->bytes[8] = 1;
    assert_false(equal());
    image_changes(&m, GLOBAL_BASE - 1, 1); /* no allocation */
    image_changes(&m, b->start + SIZE, 1);
}

static void test_put(void **state)
{
    (void)state;
    static u8 chunk[CHUNK_BYTES];
    memset(chunk, 9, sizeof chunk);
    digest_of(&m, a);
    assert_true(equal());
    digest_put(a, 1, chunk, hash128_of(chunk, sizeof chunk));
    assert_int_equal(digest_due(&m, a), 0);
    assert_int_equal(a->bytes[CHUNK_BYTES], 9);
    assert_int_equal(a->bytes[CHUNK_BYTES - 1] + a->bytes[2 * CHUNK_BYTES], 0);
    assert_false(equal());
    image_write(&m, b->start + CHUNK_BYTES, chunk, sizeof chunk);
    assert_true(equal());
    assert_true(hash_equal(digest_hashes(a)[1], digest_hashes(b)[1]));
    digest_put(a, 3, chunk, hash128_of(chunk, 100));
    assert_int_equal(a->bytes[SIZE - 1], 9);
    assert_false(equal());
}

/* who has used which allocations */
static void test_use(void **state)
{
    (void)state;
    image_at(&m, a->start);
    assert_int_equal(a->use, 0);
    allocation_use(a, USE_LOADED);
    assert_int_equal(a->use, USE_LOADED);
    allocation_use(a, USE_STORED);
    assert_int_equal(a->use, USE_BOTH);
    assert_non_null(image_find(&m, b->start + 5, 4));
    assert_int_equal(b->use, USE_BOTH);
    image_unuse(&m);
    assert_int_equal(a->use + b->use, 0);
    u64 before = a->version;
    allocation_use(a, USE_STORED);
    allocation_use(b, USE_LOADED);
    digest_of(&m, a);
    digest_of(&m, b);
    image_changes_stored(&m);
    assert_true(a->version > before && a->version > b->version);
    assert_int_equal(digest_due(&m, a), SIZE);
    assert_int_equal(digest_due(&m, b), 0);
    before = b->version;
    image_changes(&m, b->start, 1);
    assert_true(b->version > before);
    assert_null(image_at(&m, a->start + SIZE));
    assert_ptr_equal(image_at(&m, a->start + SIZE - 1), a);
}

static void test_shared(void **state)
{
    (void)state;
    struct image s;
    image_init(&s, NULL);
    s.shared_fd = memfd_create("test", MFD_CLOEXEC);
    assert_true(s.shared_fd >= 0);
    assert_int_equal(ftruncate(s.shared_fd, (off_t)GLOBAL_END), 0);
    s.shared = mmap(NULL, GLOBAL_END, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    s.shared_fd, 0);
    assert_true(s.shared != MAP_FAILED);
    u64 first = image_alloc(&s, SIZE, "first"), second = image_alloc(&s, SIZE, "second");
    struct allocation *x = image_at(&s, first), *y = image_at(&s, second);
    struct stat file;
    assert_true(hash_equal(digest_of(&s, x), digest_of(&s, y)));
    assert_true(hash_equal(digest_of(&s, x), digest_of(&m, a))); /* zeroes */
    assert_int_equal(fstat(s.shared_fd, &file), 0);
    assert_int_equal(file.st_blocks, 0);
    u8 one = 1;
    image_write(&s, first + 2 * CHUNK_BYTES, &one, 1);
    assert_false(hash_equal(digest_of(&s, x), digest_of(&s, y)));
    u8 zero = 0;
    image_write(&s, first + 2 * CHUNK_BYTES, &zero, 1);
    assert_true(hash_equal(digest_of(&s, x), digest_of(&s, y)));
    u8 *mapping = s.shared;
    image_free(&s);
    munmap(mapping, GLOBAL_END);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(contents), TEST(all), TEST(put), TEST(use),
                                       TEST(shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
