package import RealmModel
package import RealmStorage

/// The input of expressions besides the values of an object. Used by one thread.
///
/// A protocol, because its implementation needs the texts of RealmInterchange, which this module cannot import.
package protocol FormulaContext: AnyObject {
  /// The time of `now()`, the same for all objects.
  var now: (seconds: Int64, nanoseconds: Int64) { get }
  /// 12 bytes, different at each call.
  func makeObjectId() -> [UInt8]
  /// 16 bytes, different at each call.
  func makeUUID() -> [UInt8]

  /// The objects with the first of `keys`, as many as one batch can hold.
  ///
  /// - Parameters:
  ///   - keys: 1 to ``ObjectBatch/capacity`` keys of existing objects.
  ///   - position: position of their class in the schema.
  func objects(
    _ keys: [ObjectKey], ofClass position: Int
  ) throws(RealmFileError) -> ObjectBatch

  /// The name of a class, for messages.
  ///
  /// - Parameter position: position of the class in the schema.
  func className(at position: Int) -> String

  /// A date in RFC 3339 form; nil outside the years 1 to 9999.
  func text(ofDate seconds: Int64, nanoseconds: Int64) -> String?
  /// 24 hexadecimal digits.
  func text(ofObjectId bytes: ByteSlice) -> String
  /// Hexadecimal digits in groups of 8, 4, 4, 4 and 12.
  func text(ofUUID bytes: ByteSlice) -> String
  /// The date in a string in RFC 3339 form; nil for another string.
  func date(_ text: ByteSlice) -> (seconds: Int64, nanoseconds: Int64)?
}

/// Why an expression has no value for an object.
package enum FormulaFailure: Error {
  case file(RealmFileError)
  /// - Parameters:
  ///   - row: row of the object in its batch.
  ///   - message: what is wrong, with values.
  case value(row: Int, message: String)
  /// Null for a property that is not optional; the members are those of ``value(row:message:)``.
  case null(row: Int, message: String)
}
