#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#if __GLIBC__
#include <malloc.h>
#endif

int csystem_move_memory(void *from, void *to, size_t size) {
#if defined(MREMAP_DONTUNMAP) && defined(MAP_FIXED_NOREPLACE)
  if (csystem_is_portable()) return 0;
  int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
  if (mremap(from, size, size, flags, to) == to) return 1;
  // The call fails before or after it unmaps `to`; if after, this maps it again.
  flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (mmap(to, size, PROT_READ | PROT_WRITE, flags, -1, 0) == to) return 0;
  return errno == EEXIST ? 0 : -1;
#else
  (void)from, (void)to, (void)size;
  return 0;
#endif
}

void csystem_want_large_pages(void *start, size_t size) {
#if __linux__
  if (!csystem_is_portable()) madvise(start, size, MADV_HUGEPAGE);
#else
  (void)start, (void)size;
#endif
}

void csystem_give_back(void *start, size_t size) {
#if __linux__
  // Linux counts pages with MADV_FREE as memory of the process until it needs them.
  if (!csystem_is_portable()) {
    madvise(start, size, MADV_DONTNEED);
    return;
  }
#endif
  madvise(start, size, MADV_FREE);
}

void csystem_keep_freed_memory(void) {
#if __GLIBC__
  if (csystem_is_portable()) return;
  // Only larger blocks come from the system each by itself: glibc allows no more.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

int64_t csystem_memory_limit(void) {
  // The file that a container shows as its own. REALM_PORTABLE does not hide it: a process over the limit is killed.
  int file = open("/sys/fs/cgroup/memory.max", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[32];
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return -1;
  text[count] = 0;
  // The text "max" stands for no limit.
  char *end;
  long long limit = strtoll(text, &end, 10);
  return end == text ? -1 : limit;
}
