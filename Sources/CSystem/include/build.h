#ifndef REALM_CLI_CSYSTEM_BUILD_H
#define REALM_CLI_CSYSTEM_BUILD_H

// The commit that this program was built from and the day of that commit (YYYY-MM-DD), or "" if the build did
// not state them. Package.swift takes them from the environment.
const char *csystem_build_commit(void);
const char *csystem_build_date(void);

#endif
