import RealmModel
import RealmStorage

/// Lists, sets and dictionaries.
extension ObjectWriter {
  func write(
    collection column: Column, root: Ref, target: LinkTarget?, into text: inout TextBuffer
  ) throws(RealmFileError) {
    switch column.collection {
    case .dictionary:
      try write(
        entries: try reader.entries(root: root, hasIntegerKeys: column.hasIntegerKeys),
        type: column.type, target: target, into: &text)
    case .set:
      style.appendSetStart(to: &text)
      try write(set: column, root: root, target: target, into: &text)
      style.appendSetEnd(to: &text)
    case .list, .none:
      var elements = reader.elements(column, root: root)
      try write(elements: &elements, target: target, into: &text)
    }
  }

  private func write(
    set column: Column, root: Ref, target: LinkTarget?, into text: inout TextBuffer
  ) throws(RealmFileError) {
    // What an upgrade by the reference re-sorts (chapter 3, section 10.2).
    let isResorted =
      reader.realm.snapshot.format < 24 && [.string, .binary, .mixed].contains(column.type)
    guard !style.imitatesUpgrade || isResorted else {
      var elements = reader.elements(column, root: root)
      return try write(elements: &elements, target: target, into: &text)
    }
    let (members, duplicates) = try reader.members(
      column, root: root, keepingDuplicates: style.imitatesUpgrade)
    droppedDuplicates += duplicates
    text.append(UInt8(ascii: "["))
    var needsComma = false
    for member in members {
      if needsComma { text.append(UInt8(ascii: ",")) }
      needsComma = true
      if case .link(let key) = member {
        try write(link: key, to: target, isTyped: false, isElement: true, into: &text)
      } else if case .float(let number) = member {
        style.append(float: number, inMixed: column.type == .mixed, to: &text)
      } else {
        try write(value: member, isElement: true, into: &text)
      }
    }
    text.append(UInt8(ascii: "]"))
  }

  /// `[…]`: the elements of a list, or of a set in stored order.
  func write(
    elements: inout RealmReader.Elements, target: LinkTarget?, into text: inout TextBuffer
  ) throws(RealmFileError) {
    text.append(UInt8(ascii: "["))
    var needsComma = false
    var mark = reader.nodes.mark()
    while let batch = try elements.next() {
      if needsComma && batch.count > 0 { text.append(UInt8(ascii: ",")) }
      needsComma = needsComma || batch.count > 0
      try write(elements: batch, target: target, into: &text)
      try drain?(&text)
      if embedded.isEmpty { reader.nodes.release(to: mark) } else { mark = reader.nodes.mark() }
    }
    text.append(UInt8(ascii: "]"))
  }

  /// The elements of a list or set in `batch`, with commas between them.
  func write(
    elements batch: ColumnBatch, target: LinkTarget?, into text: inout TextBuffer
  ) throws(RealmFileError) {
    for row in 0..<batch.count {
      if row > 0 { text.append(UInt8(ascii: ",")) }
      switch batch {
      case .link(let keys):
        try write(link: keys[row], to: target, isTyped: false, isElement: true, into: &text)
      case .mixed(let values): try write(value: values[row], isElement: true, into: &text)
      default: write(plain: batch.value(at: row), into: &text)
      }
    }
  }

  func write(
    entries stored: RealmReader.Entries, type: ColumnType, target: LinkTarget?,
    into text: inout TextBuffer
  ) throws(RealmFileError) {
    let entries = style.imitatesUpgrade ? stored : stored.sorted()
    let form = style.dictionaryForm(keys: entries.keys, isNested: type == .mixed)
    style.appendDictionaryStart(form, to: &text)
    for i in entries.keys.indices {
      if i > 0 { text.append(UInt8(ascii: ",")) }
      if form == .pairs { text.append(UInt8(ascii: "[")) }
      style.append(key: entries.keys[i], form, to: &text)
      text.append(form == .pairs ? UInt8(ascii: ",") : UInt8(ascii: ":"))
      try write(entry: entries.values[i], type: type, target: target, into: &text)
      if form == .pairs { text.append(UInt8(ascii: "]")) }
    }
    style.appendDictionaryEnd(form, to: &text)
  }

  /// A value of a dictionary. Dictionaries of links hold typed links to the column's target, those
  /// of floats a mixed value that is one (chapter 2, section 6.4).
  private func write(
    entry value: MixedValue, type: ColumnType, target: LinkTarget?, into text: inout TextBuffer
  ) throws(RealmFileError) {
    switch value {
    case .typedLink(_, let key) where type == .link:
      try write(link: key, to: target, isTyped: false, into: &text)
    case .float(let number):
      style.append(float: number, inMixed: type == .mixed, to: &text)
    default: try write(value: value, into: &text)
    }
  }
}
