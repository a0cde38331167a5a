#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int csystem_sync(int descriptor) {
#if __APPLE__
  // fsync leaves the bytes in the cache of the drive. Not all file systems support F_FULLFSYNC.
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
  return fsync(descriptor);
}

void csystem_start_writeback(int descriptor, int64_t offset, int64_t count) {
#if __linux__
  if (csystem_is_portable()) return;
  int before = errno;
  sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
  errno = before;
#else
  (void)descriptor, (void)offset, (void)count;
#endif
}
