#ifndef REALM_CLI_CSYSTEM_PLATFORM_H
#define REALM_CLI_CSYSTEM_PLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What Linux and macOS do in different ways, and what one of them cannot do. The code is in Sources/CSystem/platform, each
// way beside its fallback, and no other file asks for the system.
//
// If the environment variable REALM_PORTABLE is set and not empty, the fallbacks are taken everywhere: so tests on Linux run
// the code of macOS. It is safe in production, but slower, and messages do not say which process has a realm open.

// Whether the fallbacks are taken although the system could do better.
int csystem_is_portable(void);

// Files

// Opens a new file without a name in `folder`, for reading and writing; the umask applies to `mode`.
//
// Returns a descriptor, or -1 with errno: EOPNOTSUPP or another number if the system or the file system has no such files.
int csystem_open_nameless(const char *folder, mode_t mode);

// Whether such a file can get a name.
int csystem_can_link_nameless(int descriptor);

// Gives such a file a name, in one step. Returns -1 with EEXIST if there is a file of that name.
int csystem_link_nameless(int descriptor, const char *name);

// Replaces the content of the file `to` by the blocks of the file `from`, which both share from then on.
//
// Returns -1 if the file system cannot do that; `to` is then unchanged.
int csystem_share_blocks(int from, int to);

// Makes a new file `name` that shares the blocks of the file `from`. Returns -1 if the file system cannot do that.
int csystem_clone(int from, const char *name);

// Renames a file in one step, unless the new name exists. Returns -1 with EEXIST if it does.
//
// Where the file system cannot do that, the file gets the new name as a second one and loses the first.
// Where it has no second names either, csystem_rename_over_placeholder does it.
int csystem_rename_without_replacing(const char *from, const char *to);

// Creates an empty file `to` and replaces it by `from`. Returns -1 with EEXIST if `to` exists.
//
// A process that is killed between both leaves the empty file.
int csystem_rename_over_placeholder(const char *from, const char *to);

// Writes the file to the medium, like fsync, and on macOS also out of the cache of the drive.
int csystem_sync(int descriptor);

// Asks the system to start writing the `count` bytes at `offset` of a file to the disk, without waiting,
// so that a later csystem_sync has less to do. Does nothing on systems without such a call.
void csystem_start_writeback(int descriptor, int64_t offset, int64_t count);

// Returns 1 if the file system of `folder` is known to be used only by this machine; otherwise 0.
int csystem_is_local(const char *folder);

// A time since 1970.
struct csystem_time {
  int64_t seconds;
  int64_t nanoseconds;
};

// The times of the last access, of the last change of the content, and of the last change of content or attributes, from the
// `struct stat` at `status`. A header that names this type would own its members in Swift.
struct csystem_time csystem_accessed(const void *status);
struct csystem_time csystem_modified(const void *status);
struct csystem_time csystem_changed(const void *status);

// Memory

// Moves the memory of the `size` bytes at `from` to `to`. Both are page-aligned parts of private
// anonymous mappings. Memory at `to` is released, and `from` becomes like a new mapping, which gets
// memory when it is touched.
//
// Returns 1 on success; 0 if the system does not support this or cannot do it now, which may release
// the memory at `to`; -1 if `to` is no longer mapped.
int csystem_move_memory(void *from, void *to, size_t size);

// Asks for large pages in a part of an anonymous mapping that is about to be filled: one fault for a large page takes a
// fraction of the time of many faults for small ones. Does nothing on systems without large pages.
void csystem_want_large_pages(void *start, size_t size);

// Returns the memory of whole pages of an anonymous mapping to the system, at once or when it needs it. Their content is
// then undefined.
void csystem_give_back(void *start, size_t size);

// Lets the allocator keep freed memory, up to 64 MB for each thread, instead of giving it back to the system at once. This is
// for programs that free and allocate large buffers all the time: each page from the system costs a page fault and 4 KB of
// zeros. Does nothing with other allocators than that of glibc.
void csystem_keep_freed_memory(void);

// Returns the bytes that the control group of a container may use; -1 if it has no limit.
int64_t csystem_memory_limit(void);

// Processes

// The path of the table of all locks, in the format of /proc/locks; NULL if the system shows none.
const char *csystem_lock_table(void);

// Stores the name of the program of a process in `buffer`, which has room for `size` bytes; "" if it is unknown.
void csystem_program_name(pid_t process, char *buffer, size_t size);

// Stores the path of this program in `buffer`, which has room for `size` bytes. Returns 0, or -1 if it is unknown.
int csystem_own_path(char *buffer, size_t size);

// The name of the system: Linux or macOS.
const char *csystem_name(void);

// The command that opens a URL in the user's browser; NULL if there is no screen to show it on.
const char *csystem_url_opener(void);

#endif
