package import RealmModel
package import RealmStorage

/// What expressions need besides the values of an object. Used by one thread.
package protocol FormulaContext: AnyObject {
  /// The time of `now()`, the same for all objects.
  var now: (seconds: Int64, nanoseconds: Int64) { get }
  /// 12 bytes, different for each call.
  func makeObjectId() -> [UInt8]
  /// 16 bytes, different for each call.
  func makeUUID() -> [UInt8]

  /// The first of the objects with `keys`, as many as one batch can hold.
  ///
  /// - Parameters:
  ///   - keys: 1 to ``ObjectBatch/capacity`` keys of existing objects.
  ///   - position: position of their class in the schema.
  func objects(
    _ keys: [ObjectKey], ofClass position: Int
  ) throws(RealmFileError) -> ObjectBatch

  /// A date in RFC 3339 form; nil outside of the years 1 to 9999.
  func text(ofDate seconds: Int64, nanoseconds: Int64) -> String?
  func text(of decimal: Decimal128) -> String
  /// The date that a text in RFC 3339 form stands for; nil for another text.
  func date(_ text: ByteSlice) -> (seconds: Int64, nanoseconds: Int64)?
}

/// Why an expression has no value for an object.
package enum FormulaFailure: Error {
  case file(RealmFileError)
  /// - Parameters:
  ///   - row: row of the object in its batch.
  ///   - message: what is wrong, with values.
  case value(row: Int, message: String)
}
