#include "threads.h"

#include <pthread.h>
#include <stdlib.h>

struct call {
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  const struct call *call = argument;
  call->body(call->context);
  return NULL;
}

int csystem_run_threads(int count, size_t stack_size, void (*body)(void *), void *context) {
  struct call call = {body, context};
  pthread_attr_t attributes;
  pthread_t *threads = malloc((size_t)count * sizeof(pthread_t));
  if (threads == NULL) return 0;
  if (pthread_attr_init(&attributes) != 0) {
    free(threads);
    return 0;
  }
  int started = 0;
  if (pthread_attr_setstacksize(&attributes, stack_size) == 0) {
    while (started < count
           && pthread_create(&threads[started], &attributes, run, &call) == 0) {
      started++;
    }
  }
  pthread_attr_destroy(&attributes);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  free(threads);
  return started;
}

static void *run_and_free(void *argument) {
  struct call call = *(struct call *)argument;
  free(argument);
  call.body(call.context);
  return NULL;
}

int csystem_start_thread(size_t stack_size, void (*body)(void *), void *context) {
  pthread_attr_t attributes;
  pthread_t thread;
  struct call *call = malloc(sizeof *call);
  if (call == NULL) return 0;
  *call = (struct call){body, context};
  if (pthread_attr_init(&attributes) != 0) {
    free(call);
    return 0;
  }
  int is_started = pthread_attr_setstacksize(&attributes, stack_size) == 0
      && pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0
      && pthread_create(&thread, &attributes, run_and_free, call) == 0;
  pthread_attr_destroy(&attributes);
  if (!is_started) free(call);
  return is_started;
}

__attribute__((noinline)) uintptr_t csystem_stack_place(void) {
  return (uintptr_t)__builtin_frame_address(0);
}
