internal import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What is left of the stack for calls that go as deep as the data.
///
/// Threads that others made have 512 KiB on some systems, which data can outgrow: a level of nested data
/// takes 2 KiB and more. Such calls ask for room at each level, and get a stack of their own when they
/// have used a part of the one that they began on.
package struct StackRoom: Sendable {
  /// Bytes of a stack of our own. Only what is used of it takes memory.
  private static let ownByteCount = 32 << 20
  /// Bytes of somebody else's stack that calls may use.
  private static let borrowedByteCount = 128 << 10

  /// Where the part of the stack ends that may be used, which grows down; 0 on a stack of our own.
  private let floor: UInt

  private init(floor: UInt) { self.floor = floor }

  /// Room on the stack of the caller.
  package init() {
    let place = csystem_stack_place()
    floor = place > StackRoom.borrowedByteCount ? place - UInt(StackRoom.borrowedByteCount) : 0
  }

  /// Calls `body` with the room that it has, on this stack or on a new one.
  ///
  /// - Throws: what `body` throws; `inputOutput` where there is no new stack to be had.
  package func deeper<R>(
    _ body: (StackRoom) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    guard csystem_stack_place() < floor else { return try body(self) }
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

  /// Calls `body` on up to `count` threads with stacks of our own, side by side, and waits for them.
  ///
  /// - Returns: how many threads could be started.
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

  /// What the threads call.
  private final class Call {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}
