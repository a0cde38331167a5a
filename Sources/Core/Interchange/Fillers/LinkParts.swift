/// The parts of a link, which can name its class.
struct LinkParts {
  /// Nil if the link does not name its class.
  let className: Int?
  let id: Int
  let isUnresolved: Bool

  /// Reads a reference of Extended JSON, `{"$ref":"Class","$id":…}`; nil for other values.
  init?(reference i: Int, in record: JSONRecord) {
    guard record.kind(i) == .object, record.count(i) == 2, let name = record.member(i, "$ref"),
      let id = record.member(i, "$id")
    else { return nil }
    (className, self.id, isUnresolved) = (name, id, false)
  }

  /// Reads a `$link`.
  ///
  /// - Parameter i: the token of the object in the `$link`.
  init(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    let wrong = ValueError(
      .wrongType(expected: "a link as {\"$link\":{\"class\":…,\"id\":…}}"), at: i)
    guard let id = record.member(i, "id") else { throw wrong }
    self.id = id
    className = record.member(i, "class")
    let mark = record.member(i, "unresolved")
    isUnresolved = try mark.map { (mark) throws(ValueError) in try record.bool(mark) } ?? false
    let members = 1 + (className == nil ? 0 : 1) + (mark == nil ? 0 : 1)
    guard record.count(i) == members else { throw wrong }
  }
}
