import RealmBrowse
import RealmStorage
import TestSupport
import Testing

@Suite("editing in browse")
struct EditingTests {
  private static let editing = Editing(
    formToken: "0123456789abcdef", keepsOriginal: true, stateFolder: nil)
  private let site = Site(MeasuredQuery.realm, editing: editing)
  private let reading = Site(MeasuredQuery.realm)

  private func post(
    _ target: String, _ type: String? = nil, _ body: String = "", to site: Site? = nil
  ) throws -> HTTPResponse {
    let fields = type.map { ["content-type": $0] } ?? [:]
    return (site ?? self.site).site.respond(
      to: try HTTPRequest(
        method: "POST", target: target, fields: fields, body: Array(body.utf8)))
  }

  @Test("each page has the token in its head, and without editing none has")
  func token() throws {
    let meta = "<meta name=\"realm-token\" content=\"0123456789abcdef\">"
    for target in [
      "/", "/0/", "/0/class/Person/", "/0/class/Dog/0", "/0/schema", "/0/changes", "/0/class/No/",
      "/no",
      "/0/class/Person/?q=nonsense", "/0/class/Person/?version=previous",
    ] {
      #expect(try site.get(target).text.contains(meta), "\(target)")
      #expect(!(try reading.get(target).text.contains("realm-token")), "\(target)")
    }
  }

  @Test("without editing, POST is not a method of any page")
  func reading405() throws {
    for target in ["/", "/0/", "/0/draft", "/no"] {
      let answer = try post(target, to: reading)
      #expect(answer.status == 405 && answer.fields.contains { $0 == ("Allow", "GET, HEAD") })
    }
    let request = try HTTPRequest(method: "DELETE", target: "/0/")
    let answer = site.site.respond(to: request)
    #expect(answer.status == 405 && answer.fields.contains { $0 == ("Allow", "GET, HEAD, POST") })
  }

  @Test("POST to a page that only shows is not found, for forms as a page and for scripts as JSON")
  func notFound() throws {
    let form = "application/x-www-form-urlencoded"
    for target in ["/", "/0/", "/0/class/Person/", "/1/draft", "/00/draft", "/x/draft", "/0"] {
      let page = try post(target, form, "a=1")
      #expect(page.status == 404 && page.contentType.hasPrefix("text/html"), "\(target)")
      let data = try post(target, "application/json", "{}")
      #expect(data.status == 404 && data.contentType == "application/json", "\(target)")
      #expect(
        String(decoding: data.bytes, as: UTF8.self).hasPrefix("{\"error\":{\"code\":\"notFound\","))
    }
  }

  @Test("a body of another media type is refused")
  func mediaTypes() throws {
    for type in ["text/plain", "application/xml", "multipart/mixed; boundary=x"] {
      #expect(try post("/0/draft", type, "a").status == 415, "\(type)")
    }
    #expect(try post("/0/draft", nil, "a").status == 415)
    #expect(try post("/0/nothing").status == 404)
  }

  @Test("a form has its method, its address and the token, escaped")
  func form() {
    var html = HTML()
    html.form(action: "/0/draft?a=\"&b", EditingTests.editing, ["class": "edit"]) { html in
      html.element("button", "Save")
    }
    html.form(action: "/", EditingTests.editing, sendsFiles: true) { _ in }
    let token = "<input type=\"hidden\" name=\"token\" value=\"0123456789abcdef\">"
    #expect(
      String(decoding: html.bytes, as: UTF8.self) == """
        <form method="post" action="/0/draft?a=&quot;&amp;b" class="edit">\(token)<button>Save</button></form>\
        <form method="post" action="/" enctype="multipart/form-data">\(token)</form>
        """)
  }
}
