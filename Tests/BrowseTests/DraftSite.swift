import Foundation
import RealmBrowse
import TestSupport
import Testing

/// The pages of a realm that can be edited, used as a browser without scripts uses them.
struct DraftSite {
  private let site: Site

  init(_ path: String) {
    site = Site(
      path,
      editing: Editing(formToken: "0123456789abcdef", keepsOriginal: true, stateFolder: nil))
  }

  func get(_ target: String) throws -> String {
    let page = try site.follow(target)
    #expect(page.status == 200, "\(target): \(page.status)")
    return page.text
  }

  func status(_ target: String) throws -> Int { try site.get(target).status }

  /// Posts fields to the address of edits, and returns the answer.
  @discardableResult
  func post(
    _ fields: [(String, String)], to target: String = "/0/draft/edit", accept: String? = nil
  ) throws -> (status: Int, text: String, location: String?) {
    var head = ["content-type": "application/x-www-form-urlencoded"]
    if let accept { head["accept"] = accept }
    let response = site.site.respond(
      to: try HTTPRequest(
        method: "POST", target: target, fields: head,
        body: Array(URLQuery(fields.map { ($0.0, $0.1) }).encoded.utf8)))
    return (
      response.status, String(decoding: response.bytes, as: UTF8.self),
      response.fields.first { $0.name == "Location" }?.value
    )
  }

  /// Makes an edit of an object, which must succeed.
  func edit(
    _ action: String, _ owner: String, _ key: Int, at path: String? = nil,
    _ fields: (String, String)...
  ) throws {
    let own: [(String, String?)] = [
      ("do", action), ("class", owner), ("key", "\(key)"), ("at", path), ("to", "/0/"),
    ]
    let answer = try post(own.compactMap { name, value in value.map { (name, $0) } } + fields)
    #expect(answer.status == 303, "\(action) \(path ?? ""): \(answer.text)")
  }

  /// Fills in the form of a page, and sends it.
  ///
  /// - Parameter button: the text of the button that is pressed.
  @discardableResult
  func submit(
    _ page: String, _ button: String, _ values: [String: String?] = [:]
  ) throws -> (status: Int, text: String, location: String?) {
    let form = try #require(
      FormText.all(page).first { $0.buttons.contains { $0.text == button } }, "no \(button)")
    var fields = form.fields.filter { values[$0.0] == nil }
    for (name, value) in values { if let value { fields.append((name, value)) } }
    if let pressed = form.buttons.first(where: { $0.text == button }), let name = pressed.name {
      fields.append((name, pressed.value ?? ""))
    }
    return try post(fields, to: form.action)
  }
}

/// A form of a page with the values that a browser would send.
struct FormText {
  let action: String
  let fields: [(String, String)]
  let buttons: [(text: String, name: String?, value: String?)]

  static func all(_ html: String) -> [FormText] {
    html.components(separatedBy: "<form ").dropFirst().compactMap { part in
      let body = part.components(separatedBy: "</form>")[0]
      return PageText.attribute("action", in: body).map { FormText($0, body) }
    }
  }

  private init(_ action: String, _ body: String) {
    self.action = action
    var fields: [(String, String)] = []
    for tag in body.components(separatedBy: "<input ").dropFirst() {
      let tag = tag.components(separatedBy: ">")[0]
      guard let name = PageText.attribute("name", in: tag) else { continue }
      let type = PageText.attribute("type", in: tag)
      if type == "checkbox" || type == "radio", !tag.contains(" checked") { continue }
      if type == "file" { continue }
      fields.append((name, PageText.attribute("value", in: tag) ?? ""))
    }
    for part in body.components(separatedBy: "<textarea ").dropFirst() {
      let tag = part.components(separatedBy: ">")[0]
      var text = String(part.components(separatedBy: "</textarea>")[0].dropFirst(tag.count + 1))
      // What a browser does with the text between the tags, and with the ends of lines when it sends them.
      if text.hasPrefix("\n") { text.removeFirst() }
      text = PageText.decoded(text).replacingOccurrences(of: "\n", with: "\r\n")
      fields.append((PageText.attribute("name", in: tag) ?? "", text))
    }
    for part in body.components(separatedBy: "<select ").dropFirst() {
      let name = PageText.attribute("name", in: part) ?? ""
      let options = part.components(separatedBy: "</select>")[0].components(separatedBy: "<option ")
        .dropFirst()
      let chosen = options.first { $0.components(separatedBy: ">")[0].contains("selected") }
      if let option = chosen ?? options.first {
        fields.append((name, PageText.attribute("value", in: option) ?? ""))
      }
    }
    self.fields = fields
    buttons = body.components(separatedBy: "<button ").dropFirst().map { part in
      let tag = part.components(separatedBy: ">")[0]
      let text = part.components(separatedBy: "</button>")[0].dropFirst(tag.count + 1)
      return (
        PageText.decoded(String(text)), PageText.attribute("name", in: tag),
        PageText.attribute("value", in: tag)
      )
    }
  }

  func value(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
}
