import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Stack space for recursion into nested data.
///
/// A thread that other code created may have a stack of only 512 KiB, and one level of nesting takes 2 KiB or
/// more. A recursive function asks for room at each level; when its part of the current stack is used up, it
/// continues on a new stack.
package struct StackRoom: Sendable {
  /// Size of a stack that we create, in bytes. Only the part in use takes memory.
  private static let ownByteCount = 32 << 20
  /// Bytes that we use of a stack that other code created.
  private static let borrowedByteCount = 128 << 10

  /// The lowest usable address of the stack, which grows down; 0 on a stack that we created.
  private let floor: UInt

  private init(floor: UInt) { self.floor = floor }

  /// The room on the stack of the caller.
  package init() {
    let place = csystem_stack_place()
    floor = place > StackRoom.borrowedByteCount ? place - UInt(StackRoom.borrowedByteCount) : 0
  }

  /// Whether the current stack has room for another level.
  package var isEnough: Bool { csystem_stack_place() >= floor }

  /// Calls `body` with the remaining room, on this stack or on a new one.
  ///
  /// - Throws: the errors of `body`; `inputOutput` if no new stack can be created.
  package func deeper<R>(
    _ body: (StackRoom) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    guard !isEnough else { return try body(self) }
    var result: Result<R, RealmFileError>?
    _ = StackRoom.run(threads: 1) {
      do throws(RealmFileError) {
        result = .success(try body(StackRoom(floor: 0)))
      } catch {
        result = .failure(error)
      }
    }
    guard let result else {
      throw RealmFileError(.inputOutput(SystemError(EAGAIN, "start a thread for nested values")))
    }
    return try result.get()
  }

  /// Calls `body` in parallel on up to `count` new threads, and waits for them.
  ///
  /// - Returns: the number of threads that could be started.
  package static func run(threads count: Int, _ body: () -> Void) -> Int {
    withoutActuallyEscaping(body) { body in
      let call = Call(body)
      return withExtendedLifetime(call) {
        unsafe Int(
          csystem_run_threads(
            Int32(clamping: count), StackRoom.ownByteCount,
            { context in
              guard let context = unsafe context else { return }
              unsafe Unmanaged<Call>.fromOpaque(context).takeUnretainedValue().body()
            }, Unmanaged.passUnretained(call).toOpaque()))
      }
    }
  }

  /// The function that the threads call.
  private final class Call {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}
