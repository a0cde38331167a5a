import Foundation
import RealmBrowse
import RealmStorage
import Testing

@Suite("server of browse", .serialized)
struct ServerTests {
  private let close = "Host: 127.0.0.1\r\nConnection: close\r\n\r\n"

  @Test("a page comes with its length and the fields that keep it apart from other sites")
  func page() throws {
    let server = try RunningServer { .text("\($0.path)") }
    let answer = try server.answer("GET /a/b HTTP/1.1\r\n\(close)")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("Content-Length: 10\r\n") && answer.hasSuffix("\r\n\r\n[\"a\", \"b\"]"))
    #expect(answer.contains("Content-Security-Policy: default-src 'self'"))
    #expect(answer.contains("X-Content-Type-Options: nosniff\r\nReferrer-Policy: same-origin\r\n"))
    #expect(answer.contains("Cache-Control: no-store\r\n"))
  }

  @Test("HEAD gets the head only, and a connection serves several requests")
  func keepAlive() throws {
    let server = try RunningServer { .text($0.path[0]) }
    let answer = try server.answer(
      "HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\nGET /second HTTP/1.1\r\n\(close)")
    let parts = answer.components(separatedBy: "HTTP/1.1 200 OK\r\n")
    #expect(parts.count == 3)
    #expect(parts[1].hasSuffix("\r\n\r\n") && parts[1].contains("Content-Length: 1\r\n"))
    #expect(parts[2].hasSuffix("\r\n\r\nsecond"))
  }

  @Test("a stream comes in chunks, and its end is missing after an error")
  func chunks() throws {
    let server = try RunningServer { request in
      HTTPResponse(
        .stream { sink in
          try sink.write(String(repeating: "x", count: 100_000))
          if request.path[0] == "bad" { throw RealmFileError(.changedWhileReading) }
        }, contentType: "text/plain")
    }
    let good = try server.answer("GET /good HTTP/1.1\r\n\(close)")
    #expect(good.contains("Transfer-Encoding: chunked\r\n") && good.contains("\r\n186a0\r\nxxx"))
    #expect(good.hasSuffix("\r\n0\r\n\r\n"))
    #expect(!(try server.answer("GET /bad HTTP/1.1\r\n\(close)")).hasSuffix("\r\n0\r\n\r\n"))
  }

  @Test("a head that never ends is refused by its size, and other clients are served meanwhile")
  func endlessHead() throws {
    let server = try RunningServer { _ in .text("page") }
    let slow = try (0..<50).map { _ in
      let client = try server.connect()
      client.send("GET / HTTP/1.1\r\nHost: loc")
      return client
    }
    #expect(try server.answer("GET / HTTP/1.1\r\n\(close)").hasSuffix("page"))
    let endless = try server.connect()
    endless.send(
      "GET / HTTP/1.1\r\n"
        + String(repeating: "A: \(String(repeating: "b", count: 90))\r\n", count: 400))
    #expect(endless.rest().hasPrefix("HTTP/1.1 431 "))
    slow[0].send("alhost\r\nConnection: close\r\n\r\n")
    #expect(slow[0].rest().hasSuffix("page"))
  }

  @Test("200 clients at once are served, and those beyond the limit are told to come back")
  func manyClients() throws {
    let server = try RunningServer { _ in .text("page") }
    let clients = try (0..<200).map { _ in try server.connect() }
    for client in clients { client.send("GET / HTTP/1.1\r\n\(close)") }
    #expect(clients.allSatisfy { $0.rest().hasSuffix("page") })
    let idle = try (0..<300).map { _ in try server.connect() }
    let refused = idle.last?.rest() ?? ""
    #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("Retry-After: 1\r\n"))
    for client in idle { client.close() }
  }

  @Test("when a client goes away, the work for it ends")
  func disconnect() throws {
    let isCancelled = DispatchSemaphore(value: 0)
    let hasBegun = DispatchSemaphore(value: 0)
    let server = try RunningServer { _ in
      hasBegun.signal()
      do {
        while true {
          try Cancellation.current?.check()
          usleep(1000)
        }
      } catch {
        isCancelled.signal()
      }
      return .text("late")
    }
    let client = try server.connect()
    client.send("GET / HTTP/1.1\r\n\(close)")
    #expect(hasBegun.wait(timeout: .now() + 20) == .success)
    client.close()
    #expect(isCancelled.wait(timeout: .now() + 20) == .success)
  }

  @Test("a port that is taken is an error")
  func takenPort() throws {
    let server = try RunningServer { _ in .text("page") }
    #expect(throws: RealmFileError.self) {
      try HTTPServer(port: server.server.port) { _ in .text("") }
    }
  }
}
