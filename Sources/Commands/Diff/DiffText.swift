import RealmCompare
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage

/// The differences of two realms for people: the schema, then each class with its objects.
struct DiffText {
  private let diff: RealmDiff
  /// Columns of the terminal; nil if lines may have any length.
  private let width: Int?
  private let palette: Palette
  /// The changed objects of the current class.
  private var objects = ""
  private var objectCount = 0
  private var text = ""

  init(_ diff: RealmDiff, width: Int?, palette: Palette) {
    (self.diff, self.width, self.palette) = (diff, width, palette)
  }

  mutating func add(_ event: RealmDiff.Event) {
    switch event {
    case .change(let change):
      objectCount += 1
      add(change)
    case .endOfClass(let difference):
      text += palette.bold(difference.className.text.printable) + "  "
      text += DiffText.counts(difference) + "\n" + objects
      let left = difference.added + difference.removed + difference.changed - objectCount
      if left > 0, objectCount > 0 { text += "  … \(left) more\n" }
      (objects, objectCount) = ("", 0)
    }
  }

  /// The whole text.
  func end(_ report: RealmDiff.Report) -> String {
    let (old, new) = diff.objectSchemas
    var head = ""
    for change in report.schemaChanges {
      let place = change.className.text + (change.property.map { ".\($0.text)" } ?? "")
      head += "schema  \((place + "  " + change.kind.words(from: old, to: new)).printable)\n"
    }
    return head + text + (report.isEqual ? "the realms are equal\n" : "")
  }

  private static func counts(_ difference: ClassDifference) -> String {
    let counts = [
      (difference.added, "added"), (difference.removed, "removed"), (difference.changed, "changed"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return (counts + ["\(difference.equal) equal"]).joined(separator: ", ")
  }

  private mutating func add(_ change: ObjectChange) {
    var values = RealmJSONValueText()
    values.append(plain: change.identity, inMixed: false)
    let identity = String(decoding: values.take(), as: UTF8.self).printable
    switch change.kind {
    case .added: objects += "  " + palette.green("+ \(identity)") + "\n"
    case .removed: objects += "  " + palette.red("- \(identity)") + "\n"
    case .changed:
      objects += "  " + palette.yellow("~ \(identity)") + "\n"
      for value in change.values {
        for detail in diff.details(of: value, in: change) { add(detail, &values) }
      }
    }
  }

  private mutating func add(_ detail: ValueDetail, _ values: inout RealmJSONValueText) {
    let schemas = diff.objectSchemas
    let old = detail.old.map { text(of: $0, schemas.old, &values) }
    let new = detail.new.map { text(of: $0, schemas.new, &values) }
    let line =
      switch (old, new) {
      case (let old?, let new?): "\(old) -> \(new)"
      case (let old?, nil): "-\(old)"
      case (nil, let new?): "+\(new)"
      case (nil, nil): ""
      }
    let whole = "    \(detail.path): \(line)".printable
    objects += (width.map { Text.cut(whole, to: $0) } ?? whole) + "\n"
  }

  private func text(
    of side: ValueDetail.Side, _ schema: ObjectSchema, _ values: inout RealmJSONValueText
  ) -> String {
    values.append(
      side.value, of: side.property, isElement: side.isElement,
      RealmJSONValueText.Context(schema: schema, classNames: diff.classNames))
    return String(decoding: values.take(), as: UTF8.self)
  }
}

extension RealmDiff.Report {
  func json(_ before: String, _ after: String?) -> JSONObject {
    [
      "from": before, "to": after ?? before, "equal": isEqual,
      "schemaChanges": schemaChanges.map { change in
        JSONObject.omittingNulls([
          "class": change.className.text, "property": change.property?.text,
          "change": change.kind.name,
        ])
      },
      "classes": classes.map { difference in
        [
          "name": difference.className.text, "added": difference.added,
          "removed": difference.removed, "changed": difference.changed, "equal": difference.equal,
        ] as JSONObject
      },
    ]
  }
}
