#ifndef REALM_CLI_CSYSTEM_TARGETS_H
#define REALM_CLI_CSYSTEM_TARGETS_H

#if __APPLE__
#include <TargetConditionals.h>
#endif

// Whether programs can start others: not on Apple TV and Apple Watch.
#define CSYSTEM_STARTS_PROGRAMS !(TARGET_OS_TV || TARGET_OS_WATCH)

#endif
