#include "platform.h"

#if __APPLE__
struct timespec csystem_accessed(struct stat status) { return status.st_atimespec; }
struct timespec csystem_modified(struct stat status) { return status.st_mtimespec; }
struct timespec csystem_changed(struct stat status) { return status.st_ctimespec; }
#else
struct timespec csystem_accessed(struct stat status) { return status.st_atim; }
struct timespec csystem_modified(struct stat status) { return status.st_mtim; }
struct timespec csystem_changed(struct stat status) { return status.st_ctim; }
#endif
