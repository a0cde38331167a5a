#define _GNU_SOURCE
#include "writeback.h"

#include <errno.h>
#include <fcntl.h>

void csystem_start_writeback(int descriptor, int64_t offset, int64_t count) {
#if __linux__
  int before = errno;
  sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
  errno = before;
#else
  (void)descriptor, (void)offset, (void)count;
#endif
}
