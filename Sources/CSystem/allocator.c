#include "allocator.h"

#include <stdlib.h>

#if __GLIBC__
#include <malloc.h>
#endif

void csystem_keep_freed_memory(void) {
#if __GLIBC__
  // Only larger blocks come from the system each by itself: glibc allows no more.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}
