#include "platform.h"

#include <sys/stat.h>

static struct csystem_time from(struct timespec time) {
  return (struct csystem_time){time.tv_sec, time.tv_nsec};
}

#if __APPLE__
#define TIME(status, name) from(((const struct stat *)(status))->st_##name##timespec)
#else
#define TIME(status, name) from(((const struct stat *)(status))->st_##name##tim)
#endif

struct csystem_time csystem_accessed(const void *status) { return TIME(status, a); }
struct csystem_time csystem_modified(const void *status) { return TIME(status, m); }
struct csystem_time csystem_changed(const void *status) { return TIME(status, c); }
