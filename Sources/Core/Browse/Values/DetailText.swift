import RealmCompare
import RealmInterchange
import RealmModel

/// Writes where two values differ in a line.
struct DetailText {
  /// Maximum number of characters of a value.
  private static let valueLimit = 500

  private let old: RealmJSONValueText.Context
  private let new: RealmJSONValueText.Context

  /// - Parameter classNames: the names of classes at the positions that links have.
  init(_ old: ObjectSchema, _ new: ObjectSchema, _ classNames: [Name]) {
    self.old = RealmJSONValueText.Context(schema: old, classNames: classNames)
    self.new = RealmJSONValueText.Context(schema: new, classNames: classNames)
  }

  /// The place with the old and the new value.
  func line(_ detail: ValueDetail) -> String {
    let old = detail.old.map { text(of: $0, self.old) }
    let new = detail.new.map { text(of: $0, self.new) }
    return switch (old, new) {
    case (let old?, let new?): "\(detail.path): \(old) → \(new)"
    case (let old?, nil): "\(detail.path): − \(old)"
    case (nil, let new?): "\(detail.path): + \(new)"
    case (nil, nil): detail.path
    }
  }

  private func text(
    of side: ValueDetail.Side, _ context: RealmJSONValueText.Context
  ) -> String {
    var values = RealmJSONValueText()
    values.append(side.value, of: side.property, isElement: side.isElement, context)
    let text = String(decoding: values.take(), as: UTF8.self)
    return text.count > DetailText.valueLimit ? text.prefix(DetailText.valueLimit) + "…" : text
  }
}
