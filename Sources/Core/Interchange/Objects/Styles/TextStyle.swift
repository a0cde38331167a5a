import RealmModel
import RealmStorage

/// How a format writes values. ``ObjectTextWriter`` traverses objects, collections and links, and calls a
/// style for each value.
protocol TextStyle: Sendable {
  /// The name of the object key's member with its punctuation, `"_key":`; nil for classes whose objects are
  /// written without their keys. Called once per class.
  func keyMember(of objectClass: ObjectClass) -> [UInt8]?
  /// The name of the property at `position` with its punctuation, `"name":`. Called once per property.
  func memberName(of position: Int, in objectClass: ObjectClass) -> [UInt8]

  func append(int value: Int64, to text: inout TextBuffer)
  func append(float value: Float, inMixed: Bool, to target: inout TextTarget)
  func append(double value: Double, to target: inout TextTarget)
  func append(string value: ByteSlice, to target: inout TextTarget)
  func append(binary value: ByteSlice, to target: inout TextTarget)
  func append(seconds: Int64, nanoseconds: Int64, to target: inout TextTarget)
  func append(decimal value: Decimal128, to text: inout TextBuffer)
  func append(objectId value: ByteSlice, to text: inout TextBuffer)
  func append(uuid value: ByteSlice, to text: inout TextBuffer)

  /// Appends the part before the identity of a link's target.
  ///
  /// - Parameters:
  ///   - hasIdentity: false for the object with a null primary key.
  ///   - isTyped: whether the link is a value of a mixed property.
  /// - Returns: how to write the identity.
  func appendLinkStart(
    to objectClass: ObjectClass, hasIdentity: Bool, isTyped: Bool, target: inout TextTarget
  ) -> LinkForm
  /// Appends the part before the identity of a tombstone; see
  /// ``appendLinkStart(to:hasIdentity:isTyped:target:)``.
  ///
  /// - Parameter isElement: whether the link is an element of a list or set.
  func appendUnresolvedStart(
    to objectClass: ObjectClass, isTyped: Bool, isElement: Bool, target: inout TextTarget
  ) -> LinkForm

  /// Appends the part before an embedded object.
  func appendEmbeddedStart(_ objectClass: ObjectClass, to text: inout TextBuffer)
  func appendEmbeddedEnd(to text: inout TextBuffer)
  /// Appends the part before the members of a set.
  func appendSetStart(to text: inout TextBuffer)
  func appendSetEnd(to text: inout TextBuffer)
  /// The form of a dictionary's entries.
  ///
  /// - Parameters:
  ///   - keys: the keys of several dictionaries.
  ///   - range: the range of this one.
  ///   - isMixed: whether the dictionary holds mixed values.
  func dictionaryForm(keys: ScalarColumn?, _ range: Range<Int>, isMixed: Bool) -> DictionaryForm
  func appendDictionaryStart(_ form: DictionaryForm, to text: inout TextBuffer)
  /// Whether a dictionary with these keys, as a mixed value, looks like a value of another type.
  func isAmbiguous(keys: ScalarColumn?, _ range: Range<Int>) -> Bool
  func append(key: BatchValue, to target: inout TextTarget)
  func appendDictionaryEnd(_ form: DictionaryForm, to text: inout TextBuffer)
}

/// The defaults: plain JSON.
extension TextStyle {
  func keyMember(of objectClass: ObjectClass) -> [UInt8]? {
    RealmJSONSchema.keyMember(of: objectClass).map { RealmJSONSchema.memberName(Name($0)) }
  }

  func memberName(of position: Int, in objectClass: ObjectClass) -> [UInt8] {
    RealmJSONSchema.memberName(objectClass.properties[position].name)
  }

  func appendEmbeddedStart(_ objectClass: ObjectClass, to text: inout TextBuffer) {}
  func appendEmbeddedEnd(to text: inout TextBuffer) {}
  func appendSetStart(to text: inout TextBuffer) {}
  func appendSetEnd(to text: inout TextBuffer) {}

  func dictionaryForm(keys: ScalarColumn?, _ range: Range<Int>, isMixed: Bool) -> DictionaryForm {
    .plain
  }

  func isAmbiguous(keys: ScalarColumn?, _ range: Range<Int>) -> Bool { false }

  func appendDictionaryStart(_ form: DictionaryForm, to text: inout TextBuffer) { text.append("{") }
  func appendDictionaryEnd(_ form: DictionaryForm, to text: inout TextBuffer) { text.append("}") }
}

/// How to write the identity of a link, and what follows it.
enum LinkForm {
  /// The link is complete: no identity follows.
  case done
  /// A value like any other.
  case value(end: StaticString)
  /// An object key, as a bare number.
  case objectKey(end: StaticString)
  /// The object key of the object if it existed, as a value (chapter 3, section 4.2).
  case resolvedKey(end: StaticString)
}

/// The forms of a dictionary.
enum DictionaryForm: Int, Comparable {
  /// `{"key":value}`.
  case plain
  /// `{"key":value}` in a wrapper, which distinguishes a dictionary from other objects.
  case wrapped
  /// `[[key,value]]` in a wrapper, for keys that a JSON string cannot hold.
  case pairs

  /// Orders by the keys that a form can represent: several keys need the largest of their forms.
  static func < (a: DictionaryForm, b: DictionaryForm) -> Bool { a.rawValue < b.rawValue }
}
