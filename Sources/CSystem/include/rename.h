#ifndef REALM_CLI_CSYSTEM_RENAME_H
#define REALM_CLI_CSYSTEM_RENAME_H

// Renames a file in one step, unless the new name exists. Returns 0 on success, otherwise -1 with EEXIST
// if the new name exists, or with EINVAL, ENOSYS or ENOTSUP if the file system does not support this.
int csystem_rename_without_replacing(const char *from, const char *to);

#endif
