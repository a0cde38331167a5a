#include "platform.h"

#include <pthread.h>
#include <stdlib.h>

static int is_portable;

static void read_variable(void) {
  const char *value = getenv("REALM_PORTABLE");
  is_portable = value != NULL && *value != 0;
}

int csystem_is_portable(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_variable);
  return is_portable;
}
