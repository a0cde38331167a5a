#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A lock with a condition that a thread holding the lock can wait for.
@safe
final class Monitor: Sendable {
  private nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private nonisolated(unsafe) let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(
    capacity: 1)

  init() {
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe pthread_cond_destroy(changed)
    unsafe lock.deallocate()
    unsafe changed.deallocate()
  }

  /// Runs `body` while holding the lock.
  @inline(__always)
  func locked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return try body()
  }

  /// Releases the lock until another thread calls ``wakeAll()``. Call it inside ``locked(_:)`` only.
  func wait() { unsafe pthread_cond_wait(changed, lock) }

  /// Wakes all waiting threads.
  func wakeAll() { unsafe pthread_cond_broadcast(changed) }
}
