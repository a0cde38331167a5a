#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A lock, and a condition that threads wait for while they hold it.
@safe
package final class Monitor: Sendable {
  private nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private nonisolated(unsafe) let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(
    capacity: 1)

  package init() {
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe pthread_cond_destroy(changed)
    unsafe lock.deallocate()
    unsafe changed.deallocate()
  }

  /// Runs `body` while no other thread is in one.
  @inline(__always)
  package func locked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return try body()
  }

  /// Lets other threads in until one of them calls ``wakeAll()``; only inside ``locked(_:)``.
  package func wait() { unsafe pthread_cond_wait(changed, lock) }

  /// Wakes all threads that wait.
  package func wakeAll() { unsafe pthread_cond_broadcast(changed) }
}
