import FuzzTargets
import Testing

@testable import RealmBrowse

@Suite("forms of browse")
struct FormTests {
  private let encoded = "application/x-www-form-urlencoded"
  private let multipart = "multipart/form-data; boundary=\"-x\""

  private func form(_ type: String, _ body: [UInt8]) throws -> FormFields? {
    try FormFields(contentType: type, body: body)
  }

  private func form(_ type: String, _ body: String) throws -> FormFields? {
    try form(type, Array(body.utf8))
  }

  /// The message of the refusal; nil if the form is accepted.
  private func refusal(_ type: String, _ body: [UInt8]) -> String? {
    do throws(HTTPError) {
      _ = try FormFields(contentType: type, body: body)
      return nil
    } catch {
      return error.status == 400 ? error.message : "status \(error.status)"
    }
  }

  @Test("fields of a plain form are decoded, also empty ones and those that occur several times")
  func urlEncoded() throws {
    let form = try #require(
      try form(encoded + "; charset=UTF-8", "a=1+2%2B&b=&&c&a=%C3%BC%0D%0A&%3d=%26=x"))
    #expect(form.fields.map(\.name) == ["a", "b", "c", "a", "="])
    #expect(form["a"] == "1 2+" && form.all("a") == ["1 2+", "ü\r\n"])
    #expect(form["b"] == "" && form["c"] == "" && form["="] == "&=x")
    #expect(form["d"] == nil && form.bytes("d") == nil && form.all("d").isEmpty)
    #expect(form.fields.allSatisfy { $0.fileName == nil })
    #expect(try #require(try self.form(encoded, "")).fields.isEmpty)
  }

  @Test(
    "a plain form that is not encoded correctly is refused",
    arguments: ["a=%", "a=%4", "a=%4g", "%=a", "a=%ff", "%ff=a", "a=%C3"])
  func badURLEncoded(body: String) { #expect(refusal(encoded, Array(body.utf8)) != nil) }

  @Test("10,000 fields are accepted, and one more is not, in both encodings")
  func fieldLimit() throws {
    let pair = Array("a=1&".utf8)
    let body = Array((0..<10_000).flatMap { _ in pair })
    #expect(try form(encoded, body)?.fields.count == 10_000)
    #expect(refusal(encoded, body + pair) == "the form has more than 10000 fields")
    let part = Array("---x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n".utf8)
    let parts = Array((0..<10_000).flatMap { _ in part })
    let end = Array("---x--".utf8)
    #expect(try form(multipart, parts + end)?.fields.count == 10_000)
    #expect(refusal(multipart, parts + part + end) == "the form has more than 10000 fields")
  }

  /// A form with texts and files, as browsers send it.
  private static let sent = [
    "---x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nü\r\n--\r\n---\r\n",
    "---x\r\ncontent-disposition:form-data;name=\"a%22b\"\r\nContent-Type: text/plain\r\n\r\n\r\n",
    "---x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"ü \\ ; .png\"\r\n"
      + "Content-Type: image/png\r\n\r\n\u{0}\r\n\r\r\n--\r\n---y\n\r\n",
    "---x\r\nContent-Disposition: form-data; name=\"none\"; filename=\"\"\r\n"
      + "Content-Type: application/octet-stream\r\n\r\n\r\n---x--\r\n",
  ].joined()

  @Test("texts and files of a multipart form are read as they are")
  func multipartForm() throws {
    let form = try #require(try form(multipart, FormTests.sent))
    #expect(form.fields.map(\.name) == ["text", "a\"b", "file", "none"])
    #expect(form.fields.map(\.fileName) == [nil, nil, "ü \\ ; .png", ""])
    #expect(form["text"] == "ü\r\n--\r\n---" && form["a\"b"] == "")
    #expect(form.bytes("file").map(Array.init) == Array("\u{0}\r\n\r\r\n--\r\n---y\n".utf8))
    #expect(form.bytes("none")?.isEmpty == true)
  }

  @Test("every byte is kept in a file, and the boundary may begin at each place in it")
  func everyByte() throws {
    let start = Array(
      "---x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n".utf8)
    let end = Array("\r\n---x--\r\n".utf8)
    let bytes = (0...255).map { UInt8($0) }
    let beginnings = (0..<Array("\r\n---x".utf8).count).map { Array("\r\n---x".utf8.prefix($0)) }
    for content in [bytes, []] + beginnings + beginnings.map({ bytes + $0 + bytes + $0 }) {
      #expect(try form(multipart, start + content + end)?.bytes("f").map(Array.init) == content)
    }
  }

  @Test("a multipart form that is cut off at any byte is refused")
  func cutOff() throws {
    let whole = Array(FormTests.sent.utf8)
    // The line end behind the last boundary may be missing.
    for count in 0..<whole.count where count != whole.count - 2 {
      #expect(refusal(multipart, Array(whole[..<count])) != nil, "cut at \(count)")
    }
    #expect(refusal(multipart, whole.dropLast(2)) == nil)
  }

  @Test(
    "a multipart form with anything else than parts of fields is refused",
    arguments: [
      "", "a", "preamble\r\n---x--\r\n", "\r\n---x--\r\n", "---x--\r\nepilogue", "---x--\r\n\r\n",
      "---x \r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n---x--",
      "---x\nContent-Disposition: form-data; name=\"a\"\n\n\n---x--",
      "---x\r\n\r\n\r\n---x--", "---x\r\nContent-Type: text/plain\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data; filename=\"a\"\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=\"a\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=\"a\"b\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=\"a\"; filename*=\"utf-8''b\"\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y--\r\n---x--",
      "---x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n---xy\r\n---x--",
      "---x\r\nContent-Disposition\r\n\r\n\r\n---x--",
    ])
  func badMultipart(body: String) { #expect(refusal(multipart, Array(body.utf8)) != nil) }

  @Test("a text that is not UTF-8 is refused, and a file is not")
  func encoding() throws {
    func body(_ fileName: String, _ bytes: [UInt8]) -> [UInt8] {
      Array("---x\r\nContent-Disposition: form-data; name=\"a\"\(fileName)\r\n\r\n".utf8) + bytes
        + Array("\r\n---x--".utf8)
    }
    #expect(refusal(multipart, body("", [0xC3])) == "the field a is not UTF-8")
    #expect(try form(multipart, body("; filename=\"b\"", [0xC3]))?.bytes("a") == [0xC3])
    let name =
      Array("---x\r\nContent-Disposition: form-data; name=\"".utf8) + [0xFF]
      + Array("\"\r\n\r\n\r\n---x--".utf8)
    #expect(refusal(multipart, name) != nil)
  }

  @Test("the head of a part has a limit")
  func headLimit() throws {
    func body(_ count: Int) -> [UInt8] {
      let name = String(repeating: "n", count: count)
      return Array(
        "---x\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\r\n---x--".utf8)
    }
    #expect(refusal(multipart, body(4000)) == nil)
    #expect(refusal(multipart, body(4100)) != nil)
    #expect(refusal(multipart, body(10_000_000)) != nil)
  }

  @Test(
    "a boundary that is missing or wrong is refused",
    arguments: [
      "", "; boundary=", "; boundary=\"", "; boundary=a b", "; boundary=\"a\\b\"",
      "; boundary=x; boundary=x", "; boundary=\(String(repeating: "x", count: 71))", "; boundary=ü",
    ])
  func boundaries(parameter: String) {
    let body = Array("--x--".utf8)
    #expect(refusal("multipart/form-data; boundary=x", body) == nil)
    #expect(refusal("multipart/form-data" + parameter, body) != nil)
  }

  @Test("a body of another media type is no form")
  func otherTypes() throws {
    for type in ["", "text/plain", "application/json", "multipart/mixed; boundary=x", "multipart"] {
      #expect(try form(type, "%zz") == nil)
    }
    #expect(try form("Application/X-WWW-Form-URLEncoded", "a=1")?["a"] == "1")
  }

  @Test("a request has its form, and its body")
  func request() throws {
    let request = try HTTPRequest(
      method: "POST", target: "/", fields: ["content-type": encoded], body: Array("a=1".utf8))
    #expect(request.form?["a"] == "1" && request.body == Array("a=1".utf8))
    #expect(request.mediaType == encoded)
    #expect(try HTTPRequest(target: "/").form == nil)
  }

  @Test("random changes of requests keep the promises of the fuzzer")
  func randomChanges() throws {
    let run = try FuzzRun(.request)
    for input in try FuzzTarget.request.corpus() {
      for seed in 0..<UInt64(100) {
        guard let changed = run.mutation(of: input.bytes, seed: seed) else { continue }
        do {
          try run.run(changed)
        } catch {
          Issue.record("\(input.path), seed \(seed): \(error)")
        }
      }
    }
  }
}
