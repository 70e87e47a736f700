/* What this binary was built from. */
#ifndef CORUN_VERSION_H
#define CORUN_VERSION_H

enum { COMMIT_BYTES = 64 };
/* The commit, "-dirty" behind it if files had changed; "": not built in a git checkout. Of fixed
 * size, so that binaries of equal sources differ here only. */
extern const char version_commit[COMMIT_BYTES];

#endif
