#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int csystem_open_nameless(const char *folder, mode_t mode) {
#if __linux__
  if (!csystem_is_portable()) return open(folder, O_RDWR | O_CLOEXEC | O_TMPFILE, mode);
#endif
  (void)folder, (void)mode;
  errno = EOPNOTSUPP;
  return -1;
}

// Only /proc has a path for such a file, and it may not be there or be that of other processes.
static int find_path(int descriptor, char *path, size_t size) {
  struct stat found, own;
  snprintf(path, size, "/proc/self/fd/%d", descriptor);
  return stat(path, &found) == 0 && fstat(descriptor, &own) == 0 && found.st_dev == own.st_dev
      && found.st_ino == own.st_ino;
}

int csystem_can_link_nameless(int descriptor) {
  char path[32];
  return find_path(descriptor, path, sizeof path);
}

int csystem_link_nameless(int descriptor, const char *name) {
  char path[32];
  if (!find_path(descriptor, path, sizeof path)) {
    errno = ENOENT;
    return -1;
  }
  return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}
