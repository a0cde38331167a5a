import Foundation
import RealmBrowse
import Synchronization

/// A server that runs until the test ends.
final class RunningServer: Sendable {
  let server: HTTPServer

  init(
    bodies: RequestBodies = RequestBodies(), _ handler: @escaping HTTPServer.Handler
  ) throws {
    server = try HTTPServer(port: 0, bodies: bodies, handler: handler)
    let server = server
    Thread.detachNewThread { server.run() }
  }

  deinit { server.stop() }

  func connect() throws -> RawClient { try RawClient(port: server.port) }

  /// The response to a request on a connection of its own.
  func answer(_ text: String) throws -> String {
    let client = try connect()
    client.send(text)
    return client.rest()
  }
}

/// A TCP connection to the server.
final class RawClient: Sendable {
  private let socket: Int32

  struct Refused: Error {}

  init(port: Int) throws {
    #if canImport(Glibc)
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw Refused() }
    var wait = timeval(tv_sec: 20, tv_usec: 0)
    _ = unsafe setsockopt(
      socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close() }

  private let isOpen = Atomic(true)

  func close() {
    if isOpen.exchange(false, ordering: .relaxed) { _ = Foundation.close(socket) }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    _ = unsafe Foundation.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Some bytes; empty at the end.
  func some() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe recv(socket, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }

  /// Everything until the server closes the connection.
  func rest() -> String {
    var bytes: [UInt8] = []
    while true {
      let more = some()
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }
}
