// The functions are in the header, so that they are inlined.
#include "text.h"
