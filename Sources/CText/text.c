// The functions of the header are inlined where they are called.
#include "text.h"
