#define _GNU_SOURCE
#include "interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];

static void note_interrupt(int signal_number) {
  (void)signal_number;
  int before = errno;
  // The pipe does not block: if it is full, the thread has enough to read.
  ssize_t ignored = write(ends[1], "", 1);
  (void)ignored;
  errno = before;
}

static void *wait_for_interrupts(void *body) {
  char byte;
  while (1) {
    ssize_t count = read(ends[0], &byte, 1);
    if (count == 1) {
      ((void (*)(void))body)();
    } else if (count == 0 || errno != EINTR) {
      return NULL;
    }
  }
}

int csystem_catch_interrupts(void (*body)(void)) {
  if (pipe(ends) != 0) return 0;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_interrupts, (void *)body) != 0) return 0;
  pthread_detach(thread);
  struct sigaction action = {0};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGINT, &action, NULL) == 0;
}
