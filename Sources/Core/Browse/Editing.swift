/// What pages need to know for changes of realms. Without it, they only show.
package struct Editing: Sendable {
  /// The secret that every request for a change has: ``AccessGuard/formToken``.
  package let formToken: String
  /// Whether the first save of a realm keeps the original.
  package let keepsOriginal: Bool
  /// The folder for drafts that are not saved when the server ends; nil if there is none.
  package let stateFolder: String?

  package init(formToken: String, keepsOriginal: Bool, stateFolder: String?) {
    (self.formToken, self.keepsOriginal) = (formToken, keepsOriginal)
    self.stateFolder = stateFolder
  }
}

extension HTML {
  /// Adds a form whose fields are posted to `action`, with the token that the server asks for.
  ///
  /// - Parameters:
  ///   - sendsFiles: whether a field of it is a file.
  ///   - content: adds the fields and buttons.
  package mutating func form<Failure: Error>(
    action: String, _ editing: Editing, sendsFiles: Bool = false, _ attributes: Attributes = [:],
    _ content: (inout HTML) throws(Failure) -> Void
  ) throws(Failure) {
    let own: Attributes = [
      "method": "post", "action": action, "enctype": sendsFiles ? FormFields.multipartType : nil,
    ]
    try element("form", own.with(attributes)) { html throws(Failure) in
      html.void(
        "input", ["type": "hidden", "name": AccessGuard.formField, "value": editing.formToken])
      try content(&html)
    }
  }
}
