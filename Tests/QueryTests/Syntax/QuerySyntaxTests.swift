import TestSupport
import Testing

@testable import RealmQuery

@Suite("Query syntax")
struct QuerySyntaxTests {
  @Test("a query is parsed if and only if the reference parses it")
  func measured() throws {
    let queries = try MeasuredQuery.all()
    #expect(queries.count == 893)
    for query in queries {
      let kind = syntaxError(query.text)?.kind
      #expect((kind == .syntax) == (query.result == "error(syntax)"), "\(query.text)")
      // A constant without a value is the only error of the parser that is not about grammar.
      #expect(kind == nil || kind == .syntax || query.result == "error", "\(query.text)")
    }
  }

  @Test("an error has a place in the query")
  func places() throws {
    for query in try MeasuredQuery.all() {
      for end in query.text.indices {
        let text = String(query.text[..<end])
        guard let error = syntaxError(text) else { continue }
        #expect(error.range.upperBound <= text.utf8.count, "\(text)")
      }
    }
  }

  @Test(
    "operators bind as in the reference",
    arguments: [
      ("a == 1 or b == 2 and c == 3", "(or (equal a 1) (and (equal b 2) (equal c 3)))"),
      ("a == 1 && b == 2 && c == 3", "(and (equal a 1) (equal b 2) (equal c 3))"),
      ("(a == 1 && b == 2) && c == 3", "(and (and (equal a 1) (equal b 2)) (equal c 3))"),
      ("a=1||b=2||!c=3", "(or (equal a 1) (equal b 2) (not (equal c 3)))"),
      ("!a == 1 && b == 2", "(and (not (equal a 1)) (equal b 2))"),
      ("not not (a == 1)", "(not (not (equal a 1)))"),
      ("!a + 1 == 2", "(not (equal (add a 1) 2))"),
      ("a - b - 1 == 2 * c + 3", "(equal (subtract (subtract a b) 1) (add (multiply 2 c) 3))"),
      ("a * (b + 1) / 2 == 7", "(equal (divide (multiply a (add b 1)) 2) 7)"),
      ("((a)) == ((1))", "(equal a 1)"),
      ("((a == 1))", "(equal a 1)"),
      ("(a == 1 || (b) < 2) and true == c", "(and (or (equal a 1) (less b 2)) (equal true c))"),
    ])
  func precedence(text: String, tree: String) throws {
    #expect(try QuerySyntax(parsing: text).tree == tree)
  }

  @Test(
    "every operator has its spellings",
    arguments: [
      ("a = 1", "(equal a 1)"), ("a == 1", "(equal a 1)"), ("a <> 1", "(notEqual a 1)"),
      ("a != 1", "(notEqual a 1)"), ("a =< 1", "(lessOrEqual a 1)"),
      ("a<=1", "(lessOrEqual a 1)"), ("a=>1", "(greaterOrEqual a 1)"),
      ("a>=1", "(greaterOrEqual a 1)"), ("a>1", "(greater a 1)"), ("a<1", "(less a 1)"),
      ("a IN[c] {'x', null}", "(isIn[c] a {'x' null})"), ("a in b", "(isIn a b)"),
      ("a BeginsWith [c] 'x'", "(beginsWith[c] a 'x')"), ("a ENDSWITH b", "(endsWith a b)"),
      ("a contains 'x'", "(contains a 'x')"), ("a LIKE[c] '*'", "(like[c] a '*')"),
      ("a TEXT 'x y'", "(text a 'x y')"), ("a ==[c]'x'", "(equal[c] a 'x')"),
      ("a between {1, $0}", "(between a {1 $0})"), ("a BETWEEN {}", "(between a {})"),
      ("TruePredicate OR falsepredicate", "(or TRUE FALSE)"),
    ])
  func operators(text: String, tree: String) throws {
    #expect(try QuerySyntax(parsing: text).tree == tree)
  }

  @Test(
    "paths, aggregates and subqueries",
    arguments: [
      ("a.b . c == 1", "(equal a/b/c 1)"),
      ("first\\ name == 1", "(equal first name 1)"),
      (
        "a[0][ LAST ][*][first]['k'][\"l\"][$3] == 1",
        "(equal a/[0]/[last]/[*]/[first]/['k']/['l']/[$3] 1)"
      ),
      ("a[010] == 1", "(equal a/[8] 1)"),
      ("a.@count == a[SIZE]", "(equal a/#size a/#size)"),
      ("a.@type == 'int'", "(equal a/#type 'int')"),
      ("ANY a.@keys == 'k'", "(equal any a/@keys 'k')"),
      ("some a.@values == 1", "(equal any a/@values 1)"),
      ("NONE @links.Person.dogs.age > 1", "(greater none @links/Person/dogs/age 1)"),
      ("$K12 == 1", "(equal $K12 1)"),
      ("ALL {1, $2} == a", "(equal all {1 $2} a)"), ("any $2 == a", "(equal any $2 a)"),
      ("a.@max == 1", "(equal (max a) 1)"),
      ("a.b.@avg.in + a.@min == 1", "(equal (add (average a/b in) (min a)) 1)"),
      ("a.@sum.x > 1", "(greater (sum a x) 1)"),
      (
        "subquery(a.b, $x, $x.c == 1 || TRUEPREDICATE).@size + 1 < 2",
        "(less (add (subquery a/b $x (or (equal $x/c 1) TRUE)) 1) 2)"
      ),
      ("in == contains", "(equal in contains)"), ("text TEXT 'a'", "(text text 'a')"),
      ("size == first", "(equal size first)"), ("bin.last == binary", "(equal bin/last binary)"),
      ("sort > limit", "(greater sort limit)"), ("$x.y == $", "(equal $x/y $)"),
      ("n-1 == O1x", "(equal n-1 O1x)"), ("Any == True", "(equal Any True)"),
      ("größe == 名前", "(equal größe 名前)"), ("$K == L1", "(equal $K L1)"),
    ])
  func values(text: String, tree: String) throws {
    #expect(try QuerySyntax(parsing: text).tree == tree)
  }

  @Test(
    "SORT, DISTINCT and LIMIT keep their order",
    arguments: [
      (
        "TRUEPREDICATE SORT(a.b ASC, desc descending) sort(c Desc)",
        "TRUE (sort a/b↑ desc↓) (sort c↓)"
      ),
      (
        "a == 1 LIMIT(2) DISTINCT(a, b.c) limit(010)",
        "(equal a 1) (limit 2) (distinct a b/c) (limit 8)"
      ),
    ])
  func orderings(text: String, tree: String) throws {
    #expect(try QuerySyntax(parsing: text).tree == tree)
  }

  @Test(
    "shapes",
    arguments: [
      ("a geoWithin geoBox([1, -2.5], [$0, .5])", "(within a (box [1.0 -2.5] [$0 0.5]))"),
      (
        "ANY a.b GEOWITHIN geocircle([1e1,2f,3.0], $1)",
        "(within any a/b (circle [10.0 2.0 3.0] $1))"
      ),
      (
        "a geowithin geoPolygon({[0,0],[1,0],[0,0]},{[2,2]})",
        "(within a (polygon ([0.0 0.0] [1.0 0.0] [0.0 0.0]) ([2.0 2.0])))"
      ),
      ("a.@count geoWithin $3", "(within a/#size $3)"),
    ])
  func shapes(text: String, tree: String) throws {
    #expect(try QuerySyntax(parsing: text).tree == tree)
  }

  @Test("every part knows its place")
  func ranges() throws {
    let text = "ANY dogs.age + 1 ==  $0 && boss BETWEEN { 1 , ANY $2 }"
    let syntax = try QuerySyntax(parsing: text)
    func spelling(_ range: Range<Int>) -> String {
      String(decoding: syntax.text[range], as: UTF8.self)
    }
    guard case .and(let terms) = syntax.predicate, case .comparison(let first) = terms[0],
      case .between(let second) = terms[1], case .arithmetic(let sum) = first.left,
      case .path(let path) = sum.left
    else {
      Issue.record("\(syntax.tree)")
      return
    }
    #expect(spelling(path.range) == "ANY dogs.age")
    #expect(path.steps.map { spelling($0.range) } == ["dogs", "age"])
    #expect(spelling(sum.operationRange) == "+")
    #expect(spelling(sum.range) == "ANY dogs.age + 1")
    #expect(spelling(first.range) == "==")
    #expect(spelling(first.right.range) == "$0")
    #expect(spelling(second.range) == "BETWEEN")
    #expect(spelling(second.bounds.range) == "{ 1 , ANY $2 }")
    #expect(second.bounds.elements.map { spelling($0.range) } == ["1", "ANY $2"])
  }
}

/// The error of `text`; nil if it is a query.
func syntaxError(_ text: String) -> QueryError? {
  do throws(QueryError) {
    _ = try QuerySyntax(parsing: text)
    return nil
  } catch {
    return error
  }
}
