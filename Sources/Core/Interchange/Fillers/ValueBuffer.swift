/// Collects the values of a column.
///
/// An array would check for sharing and for exclusive access at each append.
@safe
final class ValueBuffer<Value> {
  private var memory: UnsafeMutablePointer<Value>?
  private var capacity = 0
  private(set) var count = 0

  deinit {
    unsafe memory?.deinitialize(count: count)
    unsafe memory?.deallocate()
  }

  @inline(__always)
  func append(_ value: Value) {
    if count == capacity { grow() }
    guard let memory = unsafe memory else { return }
    // Below `capacity`: checked above.
    unsafe (memory + count).initialize(to: value)
    count &+= 1
  }

  /// The value at `position`; nil after the last one.
  subscript(position: Int) -> Value? {
    guard let memory = unsafe memory, 0..<count ~= position else { return nil }
    return unsafe memory[position]
  }

  private func grow() {
    let room = max(2 * capacity, 64)
    let larger = UnsafeMutablePointer<Value>.allocate(capacity: room)
    if let old = unsafe memory {
      unsafe larger.moveInitialize(from: old, count: count)
      unsafe old.deallocate()
    }
    unsafe memory = larger
    capacity = room
  }

  /// Returns the collected values, and starts a new column.
  func take() -> [Value] {
    guard count > 0, let memory = unsafe memory else { return [] }
    let taken = count
    count = 0
    return unsafe Array(unsafeUninitializedCapacity: taken) { values, initialized in
      guard let start = values.baseAddress else { return }
      unsafe start.moveInitialize(from: memory, count: taken)
      initialized = taken
    }
  }
}
