/* A separate folder as the working directory of a test. */
#ifndef CORUN_TEST_FOLDER_H
#define CORUN_TEST_FOLDER_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/corun-test-XXXXXX";

static inline int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder);
}

static inline int remove_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

static inline u32 entries(void)
{
    u32 n = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

#endif
