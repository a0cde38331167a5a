#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A lock with a condition that threads wait for: what `Mutex` lacks.
@safe
package final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe pthread_cond_destroy(changed)
    unsafe mutex.deallocate()
    unsafe changed.deallocate()
  }

  /// Runs `body` with the lock held.
  package func locked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Gives the lock up until another thread calls ``announce()``. Only inside ``locked(_:)``; the
  /// caller then looks again at what it waits for.
  package func wait() { unsafe pthread_cond_wait(changed, mutex) }

  /// Wakes all threads that wait.
  package func announce() { unsafe pthread_cond_broadcast(changed) }
}
