import RealmModel
import RealmStorage

/// Checks specs and columns (chapter 3, section 11, rules S1 to S9).
extension SchemaRules {
  private typealias Attribute = ColumnKey.Attribute

  /// Types of dictionary keys: string and int. No SDK writes int keys.
  private static let keyTypes = [ColumnType.int.rawValue, ColumnType.string.rawValue]
  private static let collectionBits = Attribute.list | Attribute.dictionary | Attribute.set
  /// The attribute bits that a column key may contain, besides the tag and the leaf index.
  private static let keyBits = Attribute.nullable | collectionBits
  mutating func checkSpec(_ spec: SpecLayout, _ className: String) throws(RealmFileError) {
    about(spec.node.ref, class: className)
    if spec.node.integer(at: SpecLayout.Slot.subspecs) != 0 {
      findings.add(
        .specSlots,
        "slot \(SpecLayout.Slot.subspecs) is \(spec.node.integer(at: SpecLayout.Slot.subspecs)), "
          + "expected 0")
    }
    try checkStrings(at: try spec.node.ref(at: SpecLayout.Slot.names))
    checkNames(spec, className)
    for i in spec.keys.indices {
      about(spec.node.ref, class: className, property: i < spec.names.count ? spec.name(i) : nil)
      checkType(i, spec)
      checkAttributes(i, spec)
    }
    try checkEnumerations(spec, className)
  }

  private mutating func checkNames(_ spec: SpecLayout, _ className: String) {
    var seen: Set<[UInt8]> = []
    for i in spec.names.indices {
      about(spec.node.ref, class: className, property: spec.name(i))
      let name = spec.names[i]?.bytes ?? []
      if !seen.insert(name).inserted {
        findings.add(.specNames, "property \(i) has the name of another property, \(spec.name(i))")
      } else if name.count > SchemaRules.nameByteLimit {
        findings.add(
          .specNames,
          "the name has \(name.count) bytes, expected at most \(SchemaRules.nameByteLimit)")
      } else if !Name(name).isValid {
        findings.add(.specNames, .warning, "the name is not valid UTF-8")
      } else if name.isEmpty {
        // Only a warning: the reference writes and reads empty names.
        findings.add(.specNames, .warning, "property \(i) has no name")
      }
    }
  }

  private mutating func checkType(_ i: Int, _ spec: SpecLayout) {
    let key = spec.keys[i]
    let type = Int(spec.types[i] & 0xFFFF)
    let isLinkList = key.type == .link && key.collection == .list
    if isLinkList, key.typeCode != format.linkListCode {
      findings.add(
        .specTypes,
        "the column key of the list of links has type \(key.typeCode), expected \(format.linkListCode)"
      )
    } else if type != key.typeCode, !isLinkList || type != ColumnKey.linkListCode {
      // Upgrades leave the old code of a list of links in the array of types.
      findings.add(.specTypes, "the type is \(type), but \(key.typeCode) in the column key")
    }
    let keyType = spec.keyType(i)
    if key.collection == .dictionary {
      guard !SchemaRules.keyTypes.contains(keyType) else { return }
      findings.add(
        .specTypes, "the keys of the dictionary have type \(keyType), expected 0 or 2")
    } else if keyType != 0 {
      // An error for a backlink column: the reference compares all bits to recognize one.
      findings.add(
        .specTypes, key.type == .backlink ? .error : .warning,
        "column \(i) has keys of type \(keyType), but is not a dictionary")
    }
  }

  private mutating func checkAttributes(_ i: Int, _ spec: SpecLayout) {
    let key = spec.keys[i]
    let attributes = Int(truncatingIfNeeded: spec.attributes[i])
    let own = attributes & ~(Attribute.indexed | Attribute.fulltextIndexed)
    let isSame = own & SchemaRules.keyBits == key.attributes & SchemaRules.keyBits
    if !isSame {
      findings.add(
        .specAttributes, "the attributes are \(attributes), but \(key.attributes) in the column key"
      )
    } else if (own & SchemaRules.collectionBits).nonzeroBitCount > 1 {
      findings.add(
        .specAttributes, "the attributes \(attributes) have more than one kind of collection")
    } else if own & ~SchemaRules.keyBits != 0 || key.attributes & ~SchemaRules.keyBits != 0 {
      findings.add(
        .specAttributes, .warning,
        "the attributes \(attributes), or \(key.attributes) in the column key, have bits without a "
          + "meaning")
    }
  }

  /// Checks the lists of distinct values (rule S6).
  private mutating func checkEnumerations(
    _ spec: SpecLayout, _ className: String
  ) throws(RealmFileError) {
    guard let lists = spec.enumerations else { return }
    about(lists.ref, class: className)
    guard lists.hasRefs, lists.count == spec.names.count else {
      return findings.add(
        .specEnumeration,
        "the lists of distinct values are \(lists.form), expected \(spec.names.count) refs")
    }
    for i in 0..<lists.count where lists.integer(at: i) != 0 {
      about(lists.ref, class: className, property: spec.name(i))
      if spec.keys[i].type == .string, spec.keys[i].collection == nil {
        try checkStrings(at: try lists.ref(at: i))
      } else {
        findings.add(
          .specEnumeration, "the property has a list of distinct values, but is not a single string"
        )
      }
    }
  }
}
