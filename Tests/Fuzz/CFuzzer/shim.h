#include <stddef.h>
#include <stdint.h>

// Of libFuzzer: changes `data` in place, and returns its new size, at most `max_size`.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
