#define _GNU_SOURCE
#include "rename.h"

#include <fcntl.h>
#include <stdio.h>

int csystem_rename_without_replacing(const char *from, const char *to) {
#if __APPLE__
  return renamex_np(from, to, RENAME_EXCL);
#else
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
#endif
}
