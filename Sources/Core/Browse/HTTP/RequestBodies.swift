import Synchronization

/// Decides which requests may have a body, and how much memory bodies take together.
///
/// A body is read only after its head was accepted, so that no stranger can make the server keep anything.
package final class RequestBodies: Sendable {
  /// Limits of bodies.
  package struct Limits: Sendable {
    /// Maximum number of bytes of a body.
    package var byteCount = 64 << 20
    /// Maximum number of bytes of all bodies that are received or answered at the same time.
    package var totalByteCount = 256 << 20
    /// How long a client may pause.
    package var pause = Duration.seconds(10)
    /// How fast a client must be on average, in bytes a second, after ``pause``.
    package var speed = 100_000

    package init() {}

    /// How long a body of `count` bytes, at most ``byteCount``, may take.
    func time(for count: Int) -> Duration { pause + .seconds(count / speed) }
  }

  let limits: Limits
  /// The answer to a request whose head is refused; nil if its body is read.
  let refusal: @Sendable (_ head: HTTPRequest) -> HTTPResponse?
  private let reserved = Mutex(0)

  /// No request may have a body.
  package convenience init() { self.init { _ in .notAllowed("GET", "HEAD") } }

  /// - Parameter refusal: the answer to a request whose head is refused; nil if its body is read.
  package init(
    limits: Limits = Limits(), refusal: @escaping @Sendable (_ head: HTTPRequest) -> HTTPResponse?
  ) {
    (self.limits, self.refusal) = (limits, refusal)
  }

  /// Takes the memory for a body.
  ///
  /// - Returns: the number of its bytes, for ``release(_:)``.
  /// - Throws: ``HTTPError`` if its length is missing or too large, or if other bodies take the memory.
  func reserve(_ head: HTTPRequest) throws(HTTPError) -> Int {
    guard let count = head.announcedByteCount else {
      throw HTTPError(411, "the field Content-Length is missing")
    }
    guard count <= limits.byteCount else {
      throw HTTPError(413, "the body of the request has more than \(limits.byteCount) bytes")
    }
    let isFree = reserved.withLock { sum in
      guard sum + count <= limits.totalByteCount else { return false }
      sum += count
      return true
    }
    guard isFree else {
      throw HTTPError(503, "too many bytes are being received; try again in a moment")
    }
    return count
  }

  func release(_ count: Int) { reserved.withLock { $0 -= count } }
}
