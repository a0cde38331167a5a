internal import RealmMaintenance
internal import RealmQuery

/// What a query did, for `--explain`.
struct QueryExplanation: Encodable {
  struct Step: Encodable {
    var step: String
    var className: String?
    var property: String?
    /// Objects that the step looked at.
    var lookedAt: Int
    /// Objects that were left.
    var found: Int
    var milliseconds: Double
    /// A property whose index would help.
    var indexSuggestion: String?

    private enum CodingKeys: String, CodingKey {
      case step, property, lookedAt, found, milliseconds, indexSuggestion
      case className = "class"
    }
  }

  var path: String
  var className: String
  var found: Int
  var steps: [Step]

  private enum CodingKeys: String, CodingKey {
    case path, found, steps
    case className = "class"
  }

  init(_ report: QueryJob.Report, path: String, className: String) {
    (self.path, self.className, found) = (path, className, report.found)
    steps = report.steps.map(Step.init)
  }

  /// One line per step.
  var text: String {
    var table = Table([.left, .right, .right, .right, .left])
    table.append(["step", "looked at", "found", "time", ""])
    for step in steps {
      table.append([
        step.words, "\(step.lookedAt)", "\(step.found)", step.time,
        step.indexSuggestion.map { "an index on \($0) would help" } ?? "",
      ])
    }
    return table.text()
  }
}

extension QueryExplanation.Step {
  init(_ step: QueryStep) {
    (lookedAt, found) = (step.lookedAtCount, step.foundCount)
    // Microseconds, so that the number has few digits.
    milliseconds = (step.duration / .microseconds(1)).rounded() / 1000
    indexSuggestion = step.indexSuggestion
    switch step.kind {
    case .scan(let name): (self.step, className) = ("scan", name)
    case .index(let name, let property):
      (self.step, className, self.property) = ("index", name, property)
    case .linkedScan(let name): (self.step, className) = ("linkedScan", name)
    case .sort: self.step = "sort"
    case .distinct: self.step = "distinct"
    case .limit: self.step = "limit"
    }
  }

  fileprivate var words: String {
    let name = className ?? ""
    return switch step {
    case "scan": "scan \(name)"
    case "index": "index \(name).\(property ?? "")"
    case "linkedScan": "scan linked \(name)"
    default: step
    }
  }

  fileprivate var time: String {
    let tenths = Int((milliseconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
