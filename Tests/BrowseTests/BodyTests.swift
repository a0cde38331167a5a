import Foundation
import RealmBrowse
import RealmStorage
import TestSupport
import Testing

/// Requests with bodies over a socket.
@Suite("bodies of requests to browse", .serialized)
struct BodyTests {
  /// Accepts the bodies of requests whose path is not `no`.
  private static func bodies(_ change: (inout RequestBodies.Limits) -> Void = { _ in })
    -> RequestBodies
  {
    var limits = RequestBodies.Limits()
    change(&limits)
    return RequestBodies(limits: limits) { head in
      head.path == ["no"] ? .text("refused\n", status: 403) : nil
    }
  }

  /// Answers with the number of bytes, and the body.
  private static func server(_ bodies: RequestBodies = bodies()) throws -> RunningServer {
    try RunningServer(bodies: bodies) { request in
      .text("\(request.body.count):" + String(decoding: request.body, as: UTF8.self))
    }
  }

  private func post(
    _ body: String, path: String = "/", length: String? = nil, _ fields: String = ""
  ) -> String {
    "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
      + "Content-Length: \(length ?? "\(body.utf8.count)")\r\n\(fields)\r\n\(body)"
  }

  @Test("a body arrives whole wherever it is cut into packets")
  func packets() throws {
    let server = try BodyTests.server()
    let request = Array(post("first\r\n\r\nsecond \u{0}ü").utf8)
    for cut in 1..<request.count {
      let client = try server.connect()
      client.send(Array(request[..<cut]))
      // So that the parts are not received together.
      if cut % 7 == 0 { usleep(1000) }
      client.send(Array(request[cut...]))
      #expect(client.rest().hasSuffix("\r\n\r\n19:first\r\n\r\nsecond \u{0}ü"), "cut at \(cut)")
    }
  }

  @Test("a body that comes byte by byte arrives whole")
  func bytes() throws {
    let server = try BodyTests.server()
    let client = try server.connect()
    for byte in post("some text").utf8 { client.send([byte]) }
    #expect(client.rest().hasSuffix("\r\n\r\n9:some text"))
  }

  @Test("what follows a body is the next request")
  func pipelined() throws {
    let server = try BodyTests.server()
    let requests =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none"
      + "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
      + "GET / HTTP/1.1\r\nHost: x\r\n\r\n" + post("last")
    let parts = try server.answer(requests).components(separatedBy: "HTTP/1.1 200 OK\r\n")
    #expect(
      parts.map { $0.components(separatedBy: "\r\n\r\n").last } == [
        "", "3:one", "0:", "0:", "4:last",
      ])
  }

  @Test("a body of the largest length is accepted, and one byte more is not")
  func tooLong() throws {
    let server = try BodyTests.server(BodyTests.bodies { $0.byteCount = 1000 })
    let body = String(repeating: "x", count: 1000)
    #expect(try server.answer(post(body)).hasSuffix("1000:" + body))
    #expect(try server.answer(post(body + "x")).hasPrefix("HTTP/1.1 413 "))
    for length in [
      "1001", "9223372036854775807", "9223372036854775808", String(repeating: "9", count: 99),
    ] {
      #expect(try server.answer(post("", length: length)).hasPrefix("HTTP/1.1 413 "), "\(length)")
    }
  }

  @Test("a client that sends a body of 80 MB reads why it is refused")
  func hugeBody() throws {
    let server = try BodyTests.server()
    let client = try server.connect()
    client.send(post("", length: "80000000"))
    for _ in 0..<80 { client.send([UInt8](repeating: 0x61, count: 1_000_000)) }
    let answer = client.rest()
    #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("67108864 bytes"))
  }

  @Test("a body of 64 MB arrives")
  func largeBody() throws {
    let server = try RunningServer(bodies: BodyTests.bodies()) { request in
      .text("\(request.body.count) \(sum(of: request.body))")
    }
    let client = try server.connect()
    client.send(post("", length: "67108864"))
    for i in 0..<64 { client.send([UInt8](repeating: UInt8(i), count: 1 << 20)) }
    #expect(client.rest().hasSuffix("67108864 \((0..<64).reduce(0, +) << 20)"))
  }

  @Test("without a length, or with two, nothing is read")
  func lengths() throws {
    let server = try BodyTests.server()
    let head = "POST / HTTP/1.1\r\nHost: x\r\n"
    #expect(try server.answer(head + "\r\n").hasPrefix("HTTP/1.1 411 "))
    for fields in [
      "Content-Length: 3\r\nContent-Length: 3\r\n",
      "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\n",
    ] {
      #expect(try server.answer(head + fields + "\r\nabc").hasPrefix("HTTP/1.1 400 "), "\(fields)")
    }
    let get = "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    #expect(try server.answer(get).hasPrefix("HTTP/1.1 400 "))
  }

  @Test("a refused head is answered before any byte of its body comes, and its body is no request")
  func refusedHead() throws {
    let server = try BodyTests.server()
    let client = try server.connect()
    client.send(post("", path: "/no", length: "1000", "Expect: 100-continue\r\n"))
    let answer = client.rest()
    #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.hasSuffix("refused\n"))
    #expect(answer.contains("Connection: close\r\n"))
    let smuggled = "POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" + post("smuggled")
    #expect(!(try server.answer(smuggled)).contains("smuggled"))
  }

  @Test("a server takes no bodies unless it is told whose")
  func noBodies() throws {
    let server = try RunningServer { _ in .text("changed") }
    let answer = try server.answer(post("x"))
    #expect(answer.hasPrefix("HTTP/1.1 405 ") && answer.contains("Allow: GET, HEAD\r\n"))
  }

  @Test("a client that waits for it is told to send the body")
  func expectation() throws {
    let server = try BodyTests.server()
    let client = try server.connect()
    client.send(post("", length: "4", "Expect: 100-Continue\r\n"))
    #expect(String(decoding: client.some(), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
    client.send("body")
    #expect(client.rest().hasSuffix("4:body"))
    // Whoever did not wait needs no answer.
    #expect(try server.answer(post("body", "Expect: 100-continue\r\n")).hasPrefix("HTTP/1.1 200 "))
  }

  @Test("a client that pauses too long, or is too slow, is cut off")
  func slow() throws {
    let pausing = try BodyTests.server(BodyTests.bodies { $0.pause = .milliseconds(20) })
    let client = try pausing.connect()
    client.send(post("par", length: "4"))
    #expect(client.rest().hasPrefix("HTTP/1.1 408 "))

    let server = try BodyTests.server(
      BodyTests.bodies { ($0.pause, $0.speed) = (.milliseconds(200), 1_000_000_000) })
    let dribbling = try server.connect()
    dribbling.send(post("", length: "1000000"))
    let isCutOff = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while isCutOff.wait(timeout: .now() + .milliseconds(10)) == .timedOut { dribbling.send("x") }
    }
    #expect(String(decoding: dribbling.some(), as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
    isCutOff.signal()
  }

  @Test("bodies together have a limit, which is free again after each answer")
  func together() throws {
    let isHeld = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let bodies = BodyTests.bodies { ($0.byteCount, $0.totalByteCount) = (100, 150) }
    let server = try RunningServer(bodies: bodies) { request in
      if request.path == ["held"] {
        isHeld.signal()
        mayEnd.wait()
      }
      return .text("\(request.body.count)")
    }
    let body = String(repeating: "x", count: 100)
    let held = try server.connect()
    held.send(post(body, path: "/held"))
    #expect(isHeld.wait(timeout: .now() + 20) == .success)
    #expect(try server.answer(post(body)).hasPrefix("HTTP/1.1 503 "))
    #expect(try server.answer(post("x")).hasSuffix("\r\n\r\n1"))
    mayEnd.signal()
    #expect(held.rest().hasSuffix("\r\n\r\n100"))
    // A client that goes away in the middle gives its share back, too.
    for _ in 0..<5 {
      let client = try server.connect()
      client.send(post("half", length: "100"))
      client.close()
    }
    var last = ""
    for _ in 0..<100 where !last.hasSuffix("\r\n\r\n100") {
      last = try server.answer(post(body))
      usleep(20_000)
    }
    #expect(last.hasSuffix("\r\n\r\n100"))
  }

  @Test("forms arrive with their fields, in both encodings")
  func forms() throws {
    let server = try RunningServer(bodies: BodyTests.bodies()) { request in
      .text("\(request.form?["a"] ?? "no field") \(request.form?.fields.count ?? -1)")
    }
    let encoded = "Content-Type: application/x-www-form-urlencoded\r\n"
    #expect(try server.answer(post("a=1+2&b", encoded)).hasSuffix("\r\n\r\n1 2 2"))
    #expect(try server.answer(post("", encoded)).hasSuffix("\r\n\r\nno field 0"))
    let part = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1 2\r\n--x--\r\n"
    let multipart = "Content-Type: multipart/form-data; boundary=x\r\n"
    #expect(try server.answer(post(part, multipart)).hasSuffix("\r\n\r\n1 2 1"))
    #expect(try server.answer(post("", multipart)).hasPrefix("HTTP/1.1 400 "))
    #expect(try server.answer(post("a=1")).hasSuffix("\r\n\r\nno field -1"))
  }

  @Test("a form that is damaged is refused with a sentence")
  func damagedForm() throws {
    let server = try BodyTests.server()
    let answer = try server.answer(
      post("a=%zz", "Content-Type: application/x-www-form-urlencoded\r\n"))
    #expect(
      answer.hasPrefix("HTTP/1.1 400 ") && answer.hasSuffix("the form is not encoded correctly\n"))
  }
}
