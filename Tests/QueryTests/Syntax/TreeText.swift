import RealmInterchange

@testable import RealmQuery

// The tree of a query in parentheses, for expected values that are written by hand.

extension QuerySyntax {
  var tree: String {
    ([predicate.tree] + orderings.map(\.tree)).joined(separator: " ")
  }
}

extension PredicateSyntax {
  var tree: String {
    switch self {
    case .and(let terms): "(and \(terms.map(\.tree).joined(separator: " ")))"
    case .or(let terms): "(or \(terms.map(\.tree).joined(separator: " ")))"
    case .not(let term): "(not \(term.tree))"
    case .constant(let value): value ? "TRUE" : "FALSE"
    case .comparison(let comparison):
      "(\(comparison.operation)\(comparison.ignoresCase ? "[c]" : "") \(comparison.left.tree) "
        + "\(comparison.right.tree))"
    case .between(let between): "(between \(between.value.tree) \(between.bounds.tree))"
    case .geoWithin(let geo): "(within \(geo.path.tree) \(geo.shape.tree))"
    }
  }
}

extension GeoWithinSyntax.Shape {
  var tree: String {
    switch self {
    case .box(let first, let second): "(box \(first.tree) \(second.tree))"
    case .circle(let center, let radius): "(circle \(center.tree) \(radius.tree))"
    case .polygon(let rings):
      "(polygon \(rings.map { "(\($0.map(\.tree).joined(separator: " ")))" }.joined(separator: " ")))"
    case .argument(let number): "$\(number)"
    }
  }
}

extension GeoPointSyntax {
  var tree: String {
    "[\(longitude.tree) \(latitude.tree)\(altitude.map { " " + $0.tree } ?? "")]"
  }
}

extension GeoCoordinateSyntax {
  var tree: String {
    switch value {
    case .number(let number): "\(number)"
    case .argument(let number): "$\(number)"
    }
  }
}

extension ExpressionSyntax {
  var tree: String {
    switch self {
    case .constant(let constant): constant.tree
    case .list(let list): list.tree
    case .path(let path): path.tree
    case .aggregate(let aggregate):
      "(\(aggregate.operation) \(aggregate.path.tree)\(aggregate.property.map { " " + $0.tree } ?? ""))"
    case .subquery(let subquery):
      "(subquery \(subquery.path.tree) \(text(subquery.variable)) \(subquery.predicate.tree))"
    case .arithmetic(let arithmetic):
      "(\(arithmetic.operation) \(arithmetic.left.tree) \(arithmetic.right.tree))"
    }
  }
}

extension ConstantSyntax {
  var tree: String { (quantifier.map { "\($0) " } ?? "") + value.tree }
}

extension ConstantSyntax.Value {
  var tree: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value, let text): "\(value)~\(text)"
    case .string(let bytes): "'\(text(bytes))'"
    case .base64(let bytes): "base64\(bytes)"
    case .binary(let bytes): "binary\(bytes)"
    case .date(let seconds, let nanoseconds): "date(\(seconds) \(nanoseconds))"
    case .objectId(let bytes): "oid\(bytes)"
    case .uuid(let bytes): "uuid\(bytes)"
    case .objectKey(let key): "O(\(key))"
    case .typedKey(let table, let key): "L(\(table) \(key))"
    case .object(let className, let primaryKey):
      "obj(\(text(className)) \(primaryKey.tree))"
    case .argument(let number): "$\(number)"
    }
  }
}

extension ListSyntax {
  var tree: String {
    (quantifier.map { "\($0) " } ?? "") + "{\(elements.map(\.tree).joined(separator: " "))}"
  }
}

extension PathSyntax {
  var tree: String {
    (quantifier.map { "\($0) " } ?? "") + steps.map(\.tree).joined(separator: "/")
      + (suffix.map { "/#\($0)" } ?? "")
  }
}

extension PathStepSyntax {
  var tree: String {
    switch step {
    case .name(let bytes): text(bytes)
    case .links: "@links"
    case .keys: "@keys"
    case .values: "@values"
    case .keyPathArgument(let number): "$K\(number)"
    case .index(let index): "[\(index)]"
    case .first: "[first]"
    case .last: "[last]"
    case .all: "[*]"
    case .key(let bytes): "['\(text(bytes))']"
    case .argument(let number): "[$\(number)]"
    }
  }
}

extension OrderingSyntax {
  var tree: String {
    switch self {
    case .sort(let keys):
      "(sort \(keys.map { $0.path.tree + ($0.isAscending ? "↑" : "↓") }.joined(separator: " ")))"
    case .distinct(let paths): "(distinct \(paths.map(\.tree).joined(separator: " ")))"
    case .limit(let count): "(limit \(count))"
    }
  }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
