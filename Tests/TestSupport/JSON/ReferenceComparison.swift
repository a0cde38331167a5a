import Foundation

/// Compares a Realm JSON document value by value with what the reference wrote of the same realm.
///
/// ``JSONParser`` reads both. `core-xjson-plus` has the types; `core-json`, which loses them,
/// has the nanoseconds of dates and the keys of objects.
public struct ReferenceComparison {
  /// The number of equal values by kind.
  public private(set) var counts: [String: Int] = [:]
  /// The number of repeated members of sets in the reference.
  public private(set) var droppedMembers = 0
  /// The first hundred differences with their places.
  public private(set) var differences: [String] = []

  public var valueCount: Int { counts.values.reduce(0, +) }

  private let classes: [String: RealmJSONClass]

  /// - Parameters:
  ///   - document: Realm JSON.
  ///   - reference: `core-xjson-plus`.
  ///   - plain: `core-json`.
  public init(_ document: JSONValue, reference: JSONValue, plain: JSONValue?) {
    let schema = (document["schema"]?.array ?? []).compactMap(RealmJSONClass.init)
    classes = Dictionary(schema.map { ($0.name, $0) }) { first, _ in first }
    let expected = reference.names.filter { $0 != "metadata" }
    guard expected == document["objects"]?.names else {
      differences.append("the classes are \(document["objects"]?.names ?? [])")
      return
    }
    for name in expected {
      guard let type = classes[name], let ours = document["objects"]?[name]?.array,
        let theirs = reference[name]?.array, ours.count == theirs.count
      else {
        differences.append("\(name): other number of objects, or no schema")
        continue
      }
      for i in ours.indices {
        let place = "\(name)[\(i)]"
        compareObject(ours[i], theirs[i], plain?[name]?[i], type, place)
      }
    }
  }

  // MARK: Objects and collections

  private mutating func compareObject(
    _ ours: JSONValue, _ theirs: JSONValue, _ plain: JSONValue?, _ type: RealmJSONClass,
    _ place: String
  ) {
    let names = type.properties.map(\.name)
    guard theirs.names == names, ours.names == (type.keyMember.map { [$0] } ?? []) + names else {
      return differ(place, ours, theirs)
    }
    if let member = type.keyMember, let plain {
      check(ours[member] == plain["_key"], "key", place, ours, plain)
    }
    for (name, property) in type.properties {
      guard let mine = ours[name], let other = theirs[name] else { continue }
      compare(mine, other, plain?[name], property, "\(place).\(name)")
    }
  }

  private mutating func compare(
    _ ours: JSONValue, _ theirs: JSONValue, _ plain: JSONValue?,
    _ type: RealmJSONClass.PropertyType, _ place: String
  ) {
    var element = type
    element.collection = nil
    switch type.collection {
    case "list": compareList(ours, theirs, plain, element, place)
    case "set":
      guard let members = theirs["$set"] else { return differ(place, ours, theirs) }
      compareSet(ours, members, plain, element, place)
    case "dictionary": compareDictionary(ours, theirs, plain, element, place)
    default: compareValue(ours, theirs, plain, type, isElement: false, place)
    }
  }

  private mutating func compareList(
    _ ours: JSONValue, _ theirs: JSONValue, _ plain: JSONValue?,
    _ element: RealmJSONClass.PropertyType, _ place: String
  ) {
    guard let mine = ours.array, let others = theirs.array, mine.count == others.count else {
      return differ(place, ours, theirs)
    }
    count("list")
    for i in mine.indices {
      compareValue(mine[i], others[i], plain?[i], element, isElement: true, "\(place)[\(i)]")
    }
  }

  /// Compares member by member if the reference's set is in order. It is not if it has a NaN, which the
  /// reference compares wrongly: then each member of one set must be in the other.
  private mutating func compareSet(
    _ ours: JSONValue, _ theirs: JSONValue, _ plain: JSONValue?,
    _ element: RealmJSONClass.PropertyType, _ place: String
  ) {
    guard let mine = ours.array, let others = theirs.array else {
      return differ(place, ours, theirs)
    }
    count("set")
    var inOrder = self
    inOrder.compareList(ours, theirs, plain, element, place)
    if inOrder.differences.count == differences.count {
      self = inOrder
      return
    }
    droppedMembers += others.count - mine.count
    guard ["float", "double", "mixed"].contains(element.name), isAscending(mine) else {
      return differ(place, ours, theirs)
    }
    var found: Set<Int> = []
    for i in others.indices {
      var matches = 0
      for (j, member) in mine.enumerated() {
        var trial = self
        trial.compareValue(
          member, others[i], plain?[i], element, isElement: true, ignoresZeroSign: true, place)
        guard trial.differences.count == differences.count else { continue }
        matches += 1
        // A member that the reference has twice is counted once.
        if found.insert(j).inserted { counts = trial.counts }
      }
      guard matches == 1 else { return differ(place, ours, theirs) }
    }
    guard found.count == mine.count else { return differ(place, ours, theirs) }
  }

  /// Whether null, NaN and then numbers are in ascending order, each once; true for sets of other values.
  private func isAscending(_ members: [JSONValue]) -> Bool {
    let ranks = members.map { member -> Double? in
      if member.isNull { return -.infinity }
      switch (member["$float"] ?? member)["$numberDouble"]?.string {
      case "NaN": return -Double.greatestFiniteMagnitude
      case "-Infinity": return -Double.greatestFiniteMagnitude / 2
      case "Infinity": return .infinity
      default: return (member["$float"] ?? member).number.flatMap { Double($0) }
      }
    }
    let numbers = ranks.compactMap(\.self)
    guard numbers.count == members.count else { return true }
    return zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
  }

  private mutating func compareDictionary(
    _ ours: JSONValue, _ theirs: JSONValue, _ plain: JSONValue?,
    _ element: RealmJSONClass.PropertyType, _ place: String
  ) {
    guard let others = theirs["$dictionary"],
      let mine = (ours["$dictionary"] ?? ours).members, mine.map(\.name) == others.names
    else { return differ(place, ours, theirs) }
    count("dictionary")
    for member in mine {
      guard let other = others[member.name] else { continue }
      compareValue(
        member.value, other, plain?[member.name], element, isElement: false,
        "\(place).\(member.name)")
    }
  }

  // MARK: Values

  private mutating func compareValue(
    _ ours: JSONValue, _ theirs: JSONValue, _ plain: JSONValue?,
    _ type: RealmJSONClass.PropertyType, isElement: Bool, ignoresZeroSign: Bool = false,
    _ place: String
  ) {
    let isMixed = type.name == "mixed"
    if theirs.isNull {
      // Outside lists and sets, the reference shows links to deleted objects as null.
      let isUnresolved = ours["$link"]?["unresolved"]?.bool == true && !isElement
      let kind = isUnresolved ? "unresolved link as null" : "null"
      return check(ours.isNull || isUnresolved, kind, place, ours, theirs)
    }
    if let link = theirs["$link"] { return compareLink(ours, link, type, place) }
    if let embedded = theirs["$embedded"] {
      guard let target = type.objectType, let object = embedded["value"],
        let type = classes[target],
        embedded["table"]?.string == "class_\(target)"
      else { return differ(place, ours, theirs) }
      count("embedded object")
      return compareObject(ours, object, plain, type, place)
    }
    if isMixed, theirs.array != nil { return compareList(ours, theirs, plain, type, place) }
    if isMixed, theirs["$dictionary"] != nil {
      return compareDictionary(ours, theirs, plain, type, place)
    }
    if let text = theirs["$numberDouble"]?.string {
      return compareNumber(ours, text, type, ignoresZeroSign: ignoresZeroSign, place)
    }
    compareScalar(ours, theirs, plain, place)
  }

  private mutating func compareLink(
    _ ours: JSONValue, _ link: JSONValue, _ type: RealmJSONClass.PropertyType, _ place: String
  ) {
    guard let target = link["table"]?.string, let key = link["key"] else {
      return differ(place, ours, link)
    }
    var identity = ours
    if let wrapper = ours["$link"] {
      let mustNameClass = type.name == "mixed" || wrapper["unresolved"] != nil
      guard let id = wrapper["id"], wrapper["class"]?.string == target || !mustNameClass else {
        return differ(place, ours, link)
      }
      identity = id
      if wrapper["unresolved"]?.bool == true { count("unresolved link") }
    } else {
      guard type.objectType == target else { return differ(place, ours, link) }
    }
    count(type.name == "mixed" ? "mixed link" : "link")
    // The object key, which the reference writes as a bare number.
    if case .number = key { return check(identity == key, "link key", place, ours, link) }
    if key.isNull {
      return check(ours["$link"] != nil && identity.isNull, "link to null", place, ours, link)
    }
    compareScalar(identity, key, nil, place)
  }

  private mutating func compareNumber(
    _ ours: JSONValue, _ text: String, _ type: RealmJSONClass.PropertyType,
    ignoresZeroSign: Bool, _ place: String
  ) {
    let theirs = JSONValue.string(text)
    let isFloat = type.name == "float" || ours["$float"] != nil
    guard (type.name == "mixed") == (ours["$float"] != nil) || !isFloat else {
      return differ(place, ours, theirs)
    }
    let value = ours["$float"] ?? ours
    let special = ["nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"]
    if let name = special[text] {
      return check(value["$numberDouble"]?.string == name, "not finite", place, ours, theirs)
    }
    guard let token = value.number, token.contains(where: { ".eE".contains($0) }),
      let mine = Double(token), let other = Double(text)
    else { return differ(place, ours, theirs) }
    if ignoresZeroSign, mine == 0, other == 0 { return count("double") }
    if isFloat {
      // The reference prints eight digits, which can be fewer than the shortest exact form.
      let digits = Float(token).map { String(format: "%.7e", Double($0)) }
      check(digits == text, "float", place, ours, theirs)
    } else {
      check(
        mine.bitPattern == other.bitPattern && text.utf8.count > 20, "double", place, ours, theirs)
    }
  }

  private mutating func compareScalar(
    _ ours: JSONValue, _ theirs: JSONValue, _ plain: JSONValue?, _ place: String
  ) {
    switch theirs {
    case .bool: return check(ours == theirs, "bool", place, ours, theirs)
    case .string: return check(ours == theirs, "string", place, ours, theirs)
    default: break
    }
    if let text = theirs["$numberLong"]?.string {
      check(ours.number == text, "int", place, ours, theirs)
    } else if let text = theirs["$numberDecimal"]?.string {
      let mine = ours["$numberDecimal"]?.string.flatMap { DecimalText($0) }
      check(mine != nil && mine == DecimalText(text), "decimal", place, ours, theirs)
    } else if let text = theirs["$date"]?["$numberLong"]?.string {
      compareDate(ours, milliseconds: text, plain, place)
    } else if let text = theirs["$oid"]?.string {
      check(ours["$oid"]?.string == text, "objectId", place, ours, theirs)
    } else if let binary = theirs["$binary"] {
      compareBinary(ours, binary, place)
    } else {
      differ(place, ours, theirs)
    }
  }

  private mutating func compareBinary(_ ours: JSONValue, _ binary: JSONValue, _ place: String) {
    guard binary["subType"]?.string == "04" else {
      return check(ours["$binary"] == binary, "binary", place, ours, binary)
    }
    let bytes = binary["base64"]?.string.flatMap { Data(base64Encoded: $0) } ?? Data()
    let digits = bytes.map { String(format: "%02x", $0) }.joined()
    let text = ours["$uuid"]?.string
    let lengths = text?.split(separator: "-").map(\.utf8.count)
    check(
      text?.replacing("-", with: "") == digits && lengths == [8, 4, 4, 4, 12], "uuid", place, ours,
      binary)
  }

  private mutating func compareDate(
    _ ours: JSONValue, milliseconds: String, _ plain: JSONValue?, _ place: String
  ) {
    guard let date = ours["$date"].flatMap({ DateParts($0) }) else {
      return differ(place, ours, .string(milliseconds))
    }
    check("\(date.milliseconds)" == milliseconds, "date", place, ours, .string(milliseconds))
    // The reference prints years of more than four digits wrongly.
    if let expected = plain?.string, let text = date.referenceText {
      check(text == expected, "nanoseconds", place, ours, .string(expected))
    }
  }

  // MARK: Results

  private mutating func count(_ kind: String) { counts[kind, default: 0] += 1 }

  private mutating func check(
    _ isSame: Bool, _ kind: String, _ place: String, _ ours: JSONValue, _ theirs: JSONValue
  ) {
    isSame ? count(kind) : differ(place, ours, theirs)
  }

  private mutating func differ(_ place: String, _ ours: JSONValue, _ theirs: JSONValue) {
    guard differences.count < 100 else { return }
    differences.append("\(place): \(ours) is not \(theirs)".prefix(400).description)
  }
}
