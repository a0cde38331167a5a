#include "platform.h"

#include <stddef.h>

#if __linux__
#include <sys/statfs.h>

int csystem_is_local(const char *folder) {
  // The numbers of file systems on disks and in memory, from linux/magic.h. That of ZFS is in its own sources.
  static const unsigned long local[] = {
      0xEF53,      // ext2, ext3, ext4
      0x58465342,  // XFS
      0x9123683E,  // Btrfs
      0x01021994,  // tmpfs
      0x858458F6,  // ramfs
      0x794C7630,  // overlay
      0x2FC12FC1,  // ZFS
      0xF2F52010,  // F2FS
      0xCA451A4E,  // bcachefs
      0x24051905,  // UBIFS
  };
  struct statfs status;
  if (statfs(folder, &status) != 0) return 0;
  // The field may be signed and narrower than a long.
  unsigned long type = (unsigned long)status.f_type & 0xFFFFFFFF;
  for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
    if (local[i] == type) return 1;
  }
  return 0;
}
#else
#include <sys/param.h>
#include <sys/mount.h>

int csystem_is_local(const char *folder) {
  struct statfs status;
  return statfs(folder, &status) == 0 && (status.f_flags & MNT_LOCAL) != 0;
}
#endif
