#ifndef REALM_CLI_CYAML_SHIM_H
#define REALM_CLI_CYAML_SHIM_H

#include <yaml.h>

#endif
