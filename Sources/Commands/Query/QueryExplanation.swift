import RealmQuery
import RealmStorage

// What a query did, for `--explain`.

extension QueryStep {
  var json: JSONObject {
    let (name, className, property) = names
    return .omittingNulls([
      "step": name, "class": className, "property": property, "lookedAt": lookedAtCount,
      "found": foundCount, "milliseconds": milliseconds, "indexSuggestion": indexSuggestion,
    ])
  }

  /// A table with a line per step.
  static func text(_ steps: [QueryStep]) -> String {
    var table = Table([.left, .right, .right, .right, .left])
    table.append(["step", "looked at", "found", "time", ""])
    for step in steps {
      let tenths = Int((step.milliseconds * 10).rounded())
      table.append([
        step.words, "\(step.lookedAtCount)", "\(step.foundCount)",
        "\(tenths / 10).\(tenths % 10) ms",
        step.indexSuggestion.map { "an index on \($0) would help" } ?? "",
      ])
    }
    return table.text()
  }

  /// The step for scripts, and the class and the property that it concerns.
  private var names: (step: String, className: String?, property: String?) {
    switch kind {
    case .scan(let name): ("scan", name, nil)
    case .index(let name, let property): ("index", name, property)
    case .backlinks(let name, let path): ("backlinks", name, path)
    case .union(let name): ("union", name, nil)
    case .linkedScan(let name): ("linkedScan", name, nil)
    case .sort: ("sort", nil, nil)
    case .distinct: ("distinct", nil, nil)
    case .limit: ("limit", nil, nil)
    }
  }

  private var words: String {
    switch kind {
    case .scan(let name): "scan \(name)"
    case .index(let name, let property): "index \(name).\(property)"
    case .backlinks(let name, let path): "backlinks \(name).\(path)"
    case .union(let name): "union \(name)"
    case .linkedScan(let name): "scan linked \(name)"
    case .sort, .distinct, .limit: names.step
    }
  }

  /// Rounded to microseconds, so that the number has few digits.
  private var milliseconds: Double { (duration / .microseconds(1)).rounded() / 1000 }
}
