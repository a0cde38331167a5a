import CSystem
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A connection of a client. Used by one thread, except ``isClosed``.
final class HTTPConnection: Sendable {
  /// How long a client may take from the first byte of a head to its last one, in milliseconds.
  static let headTime = 10_000
  /// How long a connection may wait for its next request.
  static let idleTime = 60_000
  /// How long sending waits for a client that does not read, in seconds.
  static let sendTime: Int32 = 30

  private let socket: Int32

  init(socket: Int32) { self.socket = socket }

  /// Whether the client has closed the connection.
  var isClosed: Bool { csystem_is_closed(socket) != 0 }

  /// - Parameter waits: whether to wait a few seconds until the client has received everything.
  func close(waits: Bool = true) { csystem_close_socket(socket, waits ? 1 : 0) }

  /// Answers requests until the client closes the connection or breaks a rule.
  func serve(_ respond: (HTTPRequest) -> HTTPResponse) {
    defer { close() }
    var received: [UInt8] = []
    while true {
      let request: HTTPRequest?
      do throws(HTTPError) {
        request = try next(&received)
      } catch {
        send(.text(error.message + "\n", status: error.status), keepsAlive: false, isHead: false)
        return
      }
      guard let request else { return }
      let isSent = send(
        respond(request), keepsAlive: request.keepsAlive, isHead: request.method == "HEAD")
      guard isSent, request.keepsAlive else { return }
    }
  }

  /// The next request; nil if the client closed the connection, or sent nothing for a while.
  ///
  /// - Parameter received: bytes that came already. Those of later requests are left in it.
  private func next(_ received: inout [UInt8]) throws(HTTPError) -> HTTPRequest? {
    let clock = ContinuousClock()
    var deadline: ContinuousClock.Instant?
    var searched = 0
    while true {
      if let count = HTTPHead.byteCount(of: received, from: searched) {
        guard count <= HTTPHead.byteLimit else { throw HTTPConnection.tooLarge }
        defer { received.removeFirst(count) }
        return try HTTPHead.parse(received[..<count])
      }
      searched = received.count
      guard received.count <= HTTPHead.byteLimit else { throw HTTPConnection.tooLarge }
      if !received.isEmpty, deadline == nil {
        deadline = clock.now + .milliseconds(HTTPConnection.headTime)
      }
      let wait =
        deadline.map { Int(clock.now.duration(to: $0) / .milliseconds(1)) }
        ?? HTTPConnection.idleTime
      let more = wait > 0 ? receive(waiting: wait) : []
      if let more, !more.isEmpty {
        received += more
      } else if more == nil || received.isEmpty {
        return nil
      } else if deadline.map({ clock.now >= $0 }) ?? false {
        throw HTTPError(408, "the head of the request did not come in time")
      }
    }
  }

  private static let tooLarge = HTTPError(
    431, "the head of the request has more than \(HTTPHead.byteLimit) bytes")

  /// - Returns: the bytes that came; none if nothing came in time; nil if the connection is closed.
  private func receive(waiting milliseconds: Int) -> [UInt8]? {
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialized in
      count = unsafe csystem_receive(
        socket, buffer.baseAddress, buffer.count, Int32(clamping: milliseconds))
      initialized = max(0, count)
    }
    if count > 0 { return bytes }
    return count < 0 && (errno == ETIMEDOUT || errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  /// - Returns: whether the client received the whole response.
  @discardableResult
  func send(_ response: HTTPResponse, keepsAlive: Bool, isHead: Bool) -> Bool {
    let head = response.head(keepsAlive: keepsAlive)
    guard !isHead else { return send(head) }
    switch response.body {
    case .bytes(let bytes): return send(head + bytes)
    case .stream(let write):
      guard send(head) else { return false }
      do {
        let sink = ChunkSink(self)
        try write(sink)
        try sink.publish()
        return true
      } catch {
        // The end of the chunks is missing, which tells the client that the result is not whole.
        return false
      }
    }
  }

  fileprivate func send(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe csystem_send(socket, $0.baseAddress, $0.count) == 0 }
  }
}

/// Sends what is written as chunks (RFC 9112, section 7.1). Used by several threads, one at a time.
private final class ChunkSink: OutputSink, @unchecked Sendable {
  /// Bytes that are collected before they are sent.
  private static let chunkByteCount = 64 << 10

  private let connection: HTTPConnection
  private var waiting: [UInt8] = []

  init(_ connection: HTTPConnection) { self.connection = connection }

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    unsafe waiting.append(contentsOf: bytes)
    if waiting.count >= ChunkSink.chunkByteCount { try flush() }
  }

  /// Sends the last chunk.
  func publish() throws(RealmFileError) {
    try flush()
    guard connection.send(Array("0\r\n\r\n".utf8)) else { throw RealmFileError(.brokenPipe) }
  }

  private func flush() throws(RealmFileError) {
    guard !waiting.isEmpty else { return }
    let head = Array((String(waiting.count, radix: 16) + "\r\n").utf8)
    guard connection.send(head + waiting + Array("\r\n".utf8)) else {
      throw RealmFileError(.brokenPipe)
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
