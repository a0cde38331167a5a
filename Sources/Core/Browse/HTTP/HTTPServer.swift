import CSystem
package import RealmStorage
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server for HTTP/1.1 on 127.0.0.1. Each connection has a thread; there is a maximum of both.
package final class HTTPServer: Sendable {
  /// Answers a request. Work that takes long asks ``Cancellation/current`` whether the client is still there.
  package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

  /// Maximum number of connections. Further ones get the status 503.
  static let connectionLimit = 256
  /// Bytes of address space for the stack of a connection's thread. Only the part in use takes memory.
  private static let stackByteCount = 1 << 20
  /// How often the server looks whether the clients of unanswered requests are still there, in milliseconds.
  private static let watchTime: Int32 = 50

  /// The port that was asked for, or a free one if that was 0.
  package let port: Int
  private let listener: Int32
  private let bodies: RequestBodies
  private let handler: Handler
  private let connections = Mutex(0)
  private let watched = Mutex<[ObjectIdentifier: (HTTPConnection, Cancellation)]>([:])
  private let isStopped = Atomic(false)

  /// Starts to listen; ``run()`` answers.
  ///
  /// - Parameter bodies: decides whose bodies are read.
  /// - Throws: `cannotCreate` if the port is taken.
  package init(
    port: Int, bodies: RequestBodies = RequestBodies(), handler: @escaping Handler
  ) throws(RealmFileError) {
    var number = UInt16(clamping: port)
    listener = unsafe csystem_listen(&number)
    guard listener >= 0 else {
      throw RealmFileError(
        .cannotCreate(SystemError(errno, "listen at port \(port)")), path: "127.0.0.1:\(port)")
    }
    (self.port, self.bodies, self.handler) = (Int(number), bodies, handler)
  }

  deinit { csystem_close_socket(listener, 0) }

  /// Answers requests until ``stop()`` is called.
  package func run() {
    while !isStopped.load(ordering: .relaxed) {
      var wait = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&wait, 1, HTTPServer.watchTime)
      if ready > 0 { acceptAll() }
      cancelAbandoned()
    }
  }

  /// Ends ``run()``. Requests that are being answered are answered to their end.
  package func stop() { isStopped.store(true, ordering: .relaxed) }

  private func acceptAll() {
    while true {
      let socket = csystem_accept(listener, HTTPConnection.sendTime)
      guard socket >= 0 else { return }
      let connection = HTTPConnection(socket: socket)
      let isFree = connections.withLock { count in
        guard count < HTTPServer.connectionLimit else { return false }
        count += 1
        return true
      }
      guard isFree, start(connection) else {
        if isFree { connections.withLock { $0 -= 1 } }
        refuse(connection)
        continue
      }
    }
  }

  private func refuse(_ connection: HTTPConnection) {
    var response = HTTPResponse.text("too many connections; try again in a moment\n", status: 503)
    response.fields = [("Retry-After", "1")]
    connection.send(response, keepsAlive: false, isHead: false)
    connection.close(waits: false)
  }

  /// Starts a thread for the connection.
  private func start(_ connection: HTTPConnection) -> Bool {
    BackgroundThread.start(stackByteCount: HTTPServer.stackByteCount) {
      connection.serve(self.bodies) { request in self.answer(request, on: connection) }
      self.connections.withLock { $0 -= 1 }
    }
  }

  private func answer(_ request: HTTPRequest, on connection: HTTPConnection) -> HTTPResponse {
    let cancellation = Cancellation()
    let name = ObjectIdentifier(connection)
    var response = Cancellation.$current.withValue(cancellation) {
      watching(name, connection, cancellation) { handler(request) }
    }
    // A stream is cancelled in the same way while it is made.
    if case .stream(let write) = response.body {
      response.body = .stream { sink in
        try Cancellation.$current.withValue(cancellation) { try write(sink) }
      }
    }
    return response
  }

  private func watching<R>(
    _ name: ObjectIdentifier, _ connection: HTTPConnection, _ cancellation: Cancellation,
    _ body: () -> R
  ) -> R {
    watched.withLock { $0[name] = (connection, cancellation) }
    defer { watched.withLock { _ = $0.removeValue(forKey: name) } }
    return body()
  }

  /// Cancels the work for clients that went away.
  private func cancelAbandoned() {
    // The lock is held, so that no connection is closed, and its descriptor used for another one, meanwhile.
    watched.withLock { watched in
      for (connection, cancellation) in watched.values where connection.isClosed {
        cancellation.cancel()
      }
    }
  }
}
