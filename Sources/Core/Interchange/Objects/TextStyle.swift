import RealmModel
import RealmStorage

/// How one text format writes values: what ``ObjectTextWriter`` asks for each of them. The writer walks
/// objects, collections and links; a style knows only text.
protocol TextStyle: Sendable {
  /// The text in front of the first property of an object.
  ///
  /// - Parameter key: nil where the source gives objects no keys.
  /// - Returns: whether a comma comes before the first property.
  func appendObjectStart(
    _ objectClass: ObjectClass, key: ObjectKey?, to text: inout TextBuffer
  ) -> Bool
  /// A property name with what surrounds it, `"name":`; made once a property.
  func memberName(_ name: Name) -> [UInt8]

  func append(int value: Int64, to text: inout TextBuffer)
  func append(float value: Float, inMixed: Bool, to text: inout TextBuffer)
  func append(double value: Double, to text: inout TextBuffer)
  func append(string value: ByteSlice, to target: inout TextTarget)
  func append(binary value: ByteSlice, to target: inout TextTarget)
  func append(seconds: Int64, nanoseconds: Int64, to text: inout TextBuffer)
  func append(decimal value: Decimal128, to text: inout TextBuffer)
  func append(objectId value: ByteSlice, to text: inout TextBuffer)
  func append(uuid value: ByteSlice, to text: inout TextBuffer)

  /// What stands in front of the identity of a link's target.
  ///
  /// - Parameters:
  ///   - hasIdentity: false for the object whose primary key is null.
  ///   - isTyped: the link is a value of a mixed property.
  /// - Returns: how the identity is written.
  func appendLinkStart(
    to objectClass: ObjectClass, hasIdentity: Bool, isTyped: Bool, text: inout TextBuffer
  ) -> LinkForm
  /// What stands in front of the identity of a tombstone; see ``appendLinkStart(to:hasIdentity:isTyped:text:)``.
  ///
  /// - Parameter isElement: the link stands in a list or set.
  func appendUnresolvedStart(
    to objectClass: ObjectClass, isTyped: Bool, isElement: Bool, text: inout TextBuffer
  ) -> LinkForm

  /// What stands around an embedded object.
  func appendEmbeddedStart(_ objectClass: ObjectClass, to text: inout TextBuffer)
  func appendEmbeddedEnd(to text: inout TextBuffer)
  /// What stands around the members of a set.
  func appendSetStart(to text: inout TextBuffer)
  func appendSetEnd(to text: inout TextBuffer)
  /// How the entries of a dictionary are written.
  ///
  /// - Parameters:
  ///   - keys: the keys of several dictionaries.
  ///   - range: those of this one.
  ///   - isMixed: the dictionary holds mixed values.
  func dictionaryForm(keys: ScalarColumn?, _ range: Range<Int>, isMixed: Bool) -> DictionaryForm
  func appendDictionaryStart(_ form: DictionaryForm, to text: inout TextBuffer)
  func append(key: BatchValue, to target: inout TextTarget)
  func appendDictionaryEnd(_ form: DictionaryForm, to text: inout TextBuffer)
}

/// How the identity of a link is written, and what stands behind it.
enum LinkForm {
  /// The text is complete: no identity follows.
  case done
  /// A value like others.
  case value(end: StaticString)
  /// An object key, as a bare number.
  case objectKey(end: StaticString)
  /// The object key that a tombstone's object has or would have (chapter 3, section 4.2), as a value.
  case resolvedKey(end: StaticString)
}

/// The forms of a dictionary in text.
enum DictionaryForm: Int, Comparable {
  /// `{"key":value}`.
  case plain
  /// The same in a wrapper that tells it from other objects.
  case wrapped
  /// `[[key,value]]` in a wrapper: for keys that no JSON string can hold.
  case pairs

  /// What some of the keys need is more than what others need.
  static func < (a: DictionaryForm, b: DictionaryForm) -> Bool { a.rawValue < b.rawValue }
}
