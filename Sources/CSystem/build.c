#include "build.h"

#ifndef REALM_BUILD_COMMIT
#define REALM_BUILD_COMMIT ""
#endif
#ifndef REALM_BUILD_DATE
#define REALM_BUILD_DATE ""
#endif

const char *csystem_build_commit(void) { return REALM_BUILD_COMMIT; }

const char *csystem_build_date(void) { return REALM_BUILD_DATE; }
