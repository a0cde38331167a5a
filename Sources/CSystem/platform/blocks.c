#include "platform.h"

#include <errno.h>

#if __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#elif __APPLE__
#include <fcntl.h>
#include <sys/clonefile.h>
#endif

int csystem_share_blocks(int from, int to) {
#if __linux__
  if (!csystem_is_portable()) return ioctl(to, FICLONE, from);
#endif
  (void)from, (void)to;
  errno = ENOTSUP;
  return -1;
}

int csystem_clone(int from, const char *name) {
#if __APPLE__
  if (!csystem_is_portable()) return fclonefileat(from, AT_FDCWD, name, 0);
#endif
  // Linux shares the blocks of files that exist.
  (void)from, (void)name;
  errno = ENOTSUP;
  return -1;
}
