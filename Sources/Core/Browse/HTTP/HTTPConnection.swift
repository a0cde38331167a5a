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
  /// Maximum number of bytes of a head and of a body that are received at once.
  private static let headPieceByteCount = 4096
  private static let bodyPieceByteCount = 64 << 10

  private let socket: Int32

  init(socket: Int32) { self.socket = socket }

  /// Whether the client has closed the connection.
  var isClosed: Bool { csystem_is_closed(socket) != 0 }

  /// - Parameter waits: whether to wait a few seconds until the client has received everything.
  func close(waits: Bool = true) { csystem_close_socket(socket, waits ? 1 : 0) }

  /// Answers requests until the client closes the connection or breaks a rule.
  ///
  /// - Parameter bodies: decides whose bodies are read.
  func serve(_ bodies: RequestBodies, _ respond: (HTTPRequest) -> HTTPResponse) {
    defer { close() }
    var received: [UInt8] = []
    do throws(HTTPError) {
      while let request = try next(&received) {
        let goesOn =
          request.method == "POST"
          ? try answer(post: request, &received, bodies, respond) : answer(request, respond)
        guard goesOn else { return }
      }
    } catch {
      refuse(.text(error.message + "\n", status: error.status))
    }
  }

  /// - Returns: whether the connection stays open.
  private func answer(_ request: HTTPRequest, _ respond: (HTTPRequest) -> HTTPResponse) -> Bool {
    let isSent = send(
      respond(request), keepsAlive: request.keepsAlive, isHead: request.method == "HEAD")
    return isSent && request.keepsAlive
  }

  /// Reads the body of a request if its head is accepted, and answers it.
  ///
  /// - Parameter received: bytes that came already. Those of later requests are left in it.
  /// - Returns: whether the connection stays open.
  private func answer(
    post head: HTTPRequest, _ received: inout [UInt8], _ bodies: RequestBodies,
    _ respond: (HTTPRequest) -> HTTPResponse
  ) throws(HTTPError) -> Bool {
    if let refusal = bodies.refusal(head) {
      refuse(refusal)
      return false
    }
    let count = try bodies.reserve(head)
    defer { bodies.release(count) }
    guard let body = try body(of: head, count, &received, bodies.limits) else { return false }
    var request = head
    try request.take(body: body)
    return answer(request, respond)
  }

  /// Sends a response, after which the connection is closed: the body of the request was not read.
  private func refuse(_ response: HTTPResponse) {
    send(response, keepsAlive: false, isHead: false)
  }

  /// The body of a request; nil if the client closed the connection.
  private func body(
    of head: HTTPRequest, _ count: Int, _ received: inout [UInt8], _ limits: RequestBodies.Limits
  ) throws(HTTPError) -> [UInt8]? {
    var body = Array(received.prefix(count))
    received.removeFirst(body.count)
    // A client that asks for this sends the body only when it knows that the head was accepted.
    if head.fields["expect"] != nil, body.count < count {
      guard send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
    }
    body.reserveCapacity(count)
    let clock = ContinuousClock()
    let end = clock.now + limits.time(for: count)
    var last = clock.now
    while body.count < count {
      let deadline = min(end, last + limits.pause)
      let wait = Int(clock.now.duration(to: deadline) / .milliseconds(1))
      guard wait > 0 else { throw HTTPError(408, "the body of the request did not come in time") }
      let limit = min(count - body.count, HTTPConnection.bodyPieceByteCount)
      guard let more = receive(limit, waiting: wait) else { return nil }
      guard !more.isEmpty else { continue }
      body += more
      last = clock.now
    }
    return body
  }

  /// The head of the next request; nil if the client closed the connection, or sent nothing for a while.
  ///
  /// - Parameter received: bytes that came already. Those behind the head are left in it.
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
      let more =
        wait > 0 ? receive(HTTPConnection.headPieceByteCount, waiting: wait) : []
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

  /// - Parameters:
  ///   - limit: maximum number of bytes.
  ///   - milliseconds: how long to wait for the first one.
  /// - Returns: the bytes that came; none if nothing came in time; nil if the connection is closed.
  private func receive(_ limit: Int, waiting milliseconds: Int) -> [UInt8]? {
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
      count = unsafe csystem_receive(
        socket, buffer.baseAddress, limit, Int32(clamping: milliseconds))
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
