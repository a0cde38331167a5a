#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "unfinished.h"

static int rename_exclusively(const char *from, const char *to) {
#if __APPLE__
  if (!csystem_is_portable()) return renamex_np(from, to, RENAME_EXCL);
#elif __linux__
  if (!csystem_is_portable()) return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
#endif
  (void)from, (void)to;
  errno = ENOTSUP;
  return -1;
}

// Whether the last call failed because the file system does not know it. Those without second names say EPERM or ENOTSUP.
static int is_unsupported(void) {
  return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP || errno == EOPNOTSUPP || errno == EPERM;
}

int csystem_rename_without_replacing(const char *from, const char *to) {
  if (rename_exclusively(from, to) == 0) return 0;
  if (!is_unsupported()) return -1;
  if (link(from, to) == 0) {
    // If the first name stays, the next run removes it: it is that of a temporary file.
    unlink(from);
    return 0;
  }
  return is_unsupported() ? csystem_rename_over_placeholder(from, to) : -1;
}

int csystem_rename_over_placeholder(const char *from, const char *to) {
  int placeholder = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (placeholder < 0) return -1;
  int slot = csystem_register_unfinished(to);
  close(placeholder);
  int result = rename(from, to);
  int number = errno;
  if (result != 0) unlink(to);
  csystem_forget_unfinished(slot);
  errno = number;
  return result;
}
