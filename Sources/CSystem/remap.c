#define _GNU_SOURCE
#include "remap.h"

#include <errno.h>
#include <sys/mman.h>

int csystem_move_memory(void *from, void *to, size_t size) {
#if defined(MREMAP_DONTUNMAP) && defined(MAP_FIXED_NOREPLACE)
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
