#ifndef REALM_CLI_CSYSTEM_TERMINAL_H
#define REALM_CLI_CSYSTEM_TERMINAL_H

#include <stdint.h>

// Number of columns of the terminal at `descriptor`; 0 if it is not a terminal or the number is
// unknown.
int csystem_terminal_width(int descriptor);

// Number of columns of a Unicode scalar on a terminal: 0, 1 or 2. Unknown and control characters
// count as 1. Uses wcwidth in a UTF-8 locale, independent of the user's locale.
int csystem_columns(uint32_t scalar);

#endif
