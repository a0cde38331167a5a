import Foundation
import TestSupport
import Testing

/// The realm of the measured queries, written by the reference.
private let people = MeasuredQuery.realm

@Suite("realm-cli query")
struct QueryCommandTests {
  private func query(_ arguments: String...) throws -> ToolResult {
    try runTool(["query", people] + arguments)
  }

  @Test("a pipe gets an object in the form of Realm JSON per line")
  func lines() throws {
    let result = try query("Dog", "age > 3 OR name == null")
    #expect(result.status == 0)
    #expect(result.stderr == "")
    #expect(
      result.text == """
        {"_id":"fido","name":"fido","age":7,"w":20.0}
        {"_id":"nul","name":null,"age":null,"w":null}

        """)
  }

  @Test("objects are the same as in an export, whatever their properties")
  func sameAsExport() throws {
    let export = try runTool("export", people, "--format", "ndjson", "--class", "Person")
    let objects = export.text.split(separator: "\n").dropFirst().dropLast().map {
      String($0.dropFirst("{\"class\":\"Person\",\"object\":".count).dropLast())
    }
    #expect(objects.count == 5)
    let result = try query("Person")
    #expect(result.text == objects.joined(separator: "\n") + "\n")
    let sorted = try query("Person", "TRUEPREDICATE SORT(_id DESC)")
    #expect(sorted.text == objects.reversed().joined(separator: "\n") + "\n")
  }

  @Test(
    "every format has its form",
    arguments: [
      (
        "json",
        "[\n{\"_id\":\"rex\",\"name\":\"Rex\",\"age\":3,\"w\":10.5},\n"
          + "{\"_id\":\"nul\",\"name\":null,\"age\":null,\"w\":null}\n]\n"
      ),
      ("csv", "_id,name,age,w\r\nrex,Rex,3,10.5\r\nnul,,,\r\n"),
      ("tsv", "_id\tname\tage\tw\nrex\tRex\t3\t10.5\nnul\t\t\t\n"),
      ("ids", "\"rex\"\n\"nul\"\n"),
      ("table", "_id  name  age     w\nrex  Rex     3  10.5\nnul\n"),
    ])
  func formats(format: String, expected: String) throws {
    let result = try query("Dog", "name != 'fido'", "--format", format)
    #expect(result.text == expected)
  }

  @Test("a query that begins with a minus sign needs -- before it, and the hint says so")
  func negativeNumber() throws {
    let refused = try query("Dog", "-1 < age")
    #expect(refused.status == 64)
    #expect(
      refused.stderr.contains("\n  hint: write -- before a query that begins with a minus sign\n"))
    let result = try runTool("query", people, "--format", "ids", "--", "Dog", "-1 < age")
    #expect(result.text == "\"rex\"\n\"fido\"\n" && result.status == 0)
  }

  @Test("a query without matches has an empty result in every format")
  func nothing() throws {
    for (format, expected) in [
      ("json", "[\n]\n"), ("ndjson", ""), ("csv", "_id,name,age,w\r\n"), ("ids", ""),
      ("table", "_id  name  age  w\n"),
    ] {
      let result = try query("Dog", "FALSEPREDICATE", "--format", format)
      #expect(result.status == 0)
      #expect(result.text == expected)
    }
  }

  @Test("tabs, line ends and backslashes in fields are escaped, and a table shows them")
  func escapes() throws {
    let tabs = try query("Person", "_id == 5", "-c", "name,_id", "--format", "tsv")
    #expect(tabs.text == "name\t_id\nmulti\\nline \"q\"\t5\n")
    let table = try query("Person", "_id == 5", "-c", "name,_id", "--format", "table")
    #expect(table.text == "name             _id\nmulti\\nline \"q\"    5\n")
  }

  @Test("columns are paths over links, into collections, sizes and aggregates")
  func columns() throws {
    let result = try query(
      "Person", "_id <= 2", "-c", "name,dog.name,dogs.@count,dogs.name", "-c",
      "dogs.@max.age,boss,boss.address,pets.main.name,attrs['eye'],mix.@type,@links.@count")
    #expect(
      result.text == """
        {"name":"Ann","dog.name":"Rex","dogs.@count":2,"dogs.name":["Rex","fido"],\
        "dogs.@max.age":7,"boss":null,"boss.address":null,"pets.main.name":"Rex",\
        "attrs['eye']":"Blue","mix.@type":"int","@links.@count":2}
        {"name":"bob","dog.name":"fido","dogs.@count":0,"dogs.name":[],"dogs.@max.age":null,\
        "boss":1,"boss.address":{"city":"Oslo","zip":150},"pets.main.name":null,\
        "attrs['eye']":"green","mix.@type":"dictionary","@links.@count":2}

        """)
  }

  @Test("a column of a property has its complete value")
  func wholeProperties() throws {
    let result = try query("Person", "_id == 1", "-c", "attrs,address,addresses,tags,dogs,born")
    #expect(
      result.text == """
        {"attrs":{"eye":"Blue","pet":{"$link":{"class":"Dog","id":"rex"}},"shoe":42},\
        "address":{"city":"Oslo","zip":150},"addresses":[{"city":"Rome","zip":null}],\
        "tags":["New","vip"],"dogs":["rex","fido"],"born":{"$date":"2001-09-09T01:46:40Z"}}

        """)
  }

  @Test("arguments are values of Realm JSON or bare words")
  func arguments() throws {
    for (text, values, expected) in [
      ("age == $0", ["30"], "1\n"), ("name == $0", ["Ann"], "1\n"),
      ("name == $0", ["\"Ann\""], "1\n"),
      ("name == $1 && age < $0", ["20.5", "bob"], "2\n"),
      ("age IN $0", ["[20,40,null]"], "2\n3\n4\n"),
      ("name == $0", ["null"], "3\n"), ("active == $0", ["false"], "2\n"),
      ("born == $0", ["{\"$date\":\"2001-09-09T01:46:40Z\"}"], "1\n"),
      ("oid == $0", ["{\"$oid\":\"507f1f77bcf86cd799439011\"}"], "1\n"),
      ("balance == $0", ["{\"$numberDecimal\":\"10.5\"}"], "1\n"),
      ("dog == $0", ["{\"$link\":{\"class\":\"Dog\",\"id\":\"fido\"}}"], "2\n"),
      ("age > $0", ["-1"], "1\n2\n4\n5\n"), ("$K0 == 'Rex'", ["dog.name"], "1\n"),
    ] {
      let result = try runTool(
        ["query", people, "Person", text, "--format", "ids"] + values.flatMap { ["--arg", $0] })
      #expect(result.text == expected, "\(text) \(values): \(result.stderr)")
    }
  }

  @Test("options order and limit the result after the query did")
  func orderings() throws {
    for (options, expected) in [
      (["--sort", "age:desc"], "4\n1\n2\n5\n3\n"), (["--sort", "age"], "3\n5\n2\n1\n4\n"),
      (["--sort", "active:asc", "--sort", "_id:desc"], "5\n4\n3\n2\n1\n"),
      (["--sort", "dog.name:desc"], "3\n5\n2\n1\n4\n"),
      (["--distinct", "active"], "1\n2\n3\n"), (["--limit", "2"], "1\n2\n"),
      (["--sort", "age:desc", "--offset", "1", "--limit", "2"], "1\n2\n"),
      (["--offset", "4"], "5\n"), (["--offset", "9"], ""), (["--limit", "0"], ""),
    ] {
      let result = try runTool(["query", people, "Person", "--format", "ids"] + options)
      #expect(result.text == expected, "\(options)")
    }
    let both = try query(
      "Person", "TRUEPREDICATE LIMIT(3)", "--sort", "age:desc", "--format", "ids")
    #expect(both.text == "1\n2\n3\n")
  }

  @Test("totals")
  func totals() throws {
    for (options, expected) in [
      (["--count"], "5\n"), (["age > 20", "--count"], "2\n"), (["--sum", "age"], "90\n"),
      (["--avg", "age"], "22.5\n"), (["--min", "name"], "\"Ann\"\n"),
      (["--max", "born"], "{\"$date\":\"2001-09-09T01:46:40Z\"}\n"),
      (["--sum", "scores"], "20\n"), (["--max", "dogs.age"], "7\n"),
      (["age > 1000", "--max", "age"], "null\n"), (["age > 1000", "--sum", "age"], "0\n"),
      (
        ["--count", "--sum", "age", "--max", "age,n"],
        "{\"@count\":5,\"@sum.age\":90,\"@max.age\":40,\"@max.n\":100}\n"
      ),
    ] {
      let result = try runTool(["query", people, "Person"] + options)
      #expect(result.text == expected, "\(options): \(result.stderr)")
    }
  }

  @Test("one line per group, in the order of the values")
  func groups() throws {
    let result = try query(
      "Person", "--group-by", "dog.name", "--count", "--sum", "n", "--format", "csv")
    #expect(result.text == "dog.name,@count,@sum.n\r\n,3,100\r\nRex,1,7\r\nfido,1,-7\r\n")
    let mixed = try query("Person", "--group-by", "mix.@type")
    #expect(
      mixed.text == """
        {"mix.@type":"int","@count":1}
        {"mix.@type":"dictionary","@count":1}
        {"mix.@type":"null","@count":1}
        {"mix.@type":"list","@count":1}
        {"mix.@type":"decimal128","@count":1}

        """)
  }

  @Test("--exists answers with the exit code")
  func exists() throws {
    let yes = try query("Person", "name == 'Ann'", "--exists")
    #expect(yes.status == 0)
    #expect(yes.text == "")
    let no = try query("Person", "name == 'Eve'", "--exists", "--json")
    #expect(no.status == 1)
    #expect(no.text == "{\"class\":\"Person\",\"found\":0,\"path\":\"\(people)\"}\n")
  }

  @Test("--explain shows which objects were read")
  func explain() throws {
    let result = try query("Person", "n == 7 SORT(age ASC) LIMIT(1)", "--explain", "--json")
    let steps = try JSONParser.parse(result.stdout)["steps"]?.array ?? []
    #expect(steps.map { $0["step"] } == [.string("scan"), .string("sort"), .string("limit")])
    #expect(steps.first?["class"] == .string("Person"))
    let text = try query("Person", "n == 7", "--explain").text
    #expect(text.hasPrefix("step         looked at  found"))
    #expect(text.contains("\nscan Person          5      1  "))
  }

  @Test("--explain shows which links were followed back, and look-ups that were united")
  func explainLinks() throws {
    let path = Golden.path("people.realm")
    let lines = try runTool("export", path, "--format", "ndjson", "--class", "Person").text
      .split(separator: "\n")
    let seven = lines.filter { $0.contains(#""company":"company-7""#) }
    let aged = lines.filter { $0.contains(#""age":41,"#) }
    let count = seven.count
    let one = try runTool("query", path, "Person", "company._id == 'company-7'", "--explain").text
    #expect(one.contains("\nindex Company._id                 1      1  "), "\(one)")
    #expect(one.contains("\nbacklinks Person.company        \(count)    \(count)  "), "\(one)")
    let both = try runTool(
      "query", path, "Person", "company._id == 'company-7' OR age == 41", "--explain", "--json")
    let steps = try JSONParser.parse(both.stdout)["steps"]?.array ?? []
    #expect(
      steps.map { $0["step"] }
        == ["index", "index", "backlinks", "union"].map { .string($0) }, "\(steps)")
    #expect(steps.last?["found"]?.number == "\(Set(seven + aged).count)")
  }

  @Test("an embedded class can be queried, too")
  func embedded() throws {
    let result = try query("Address", "zip == 150")
    #expect(result.text == "{\"city\":\"Oslo\",\"zip\":150}\n")
  }

  @Test("-o writes a file, and the report counts the found objects")
  func output() throws {
    let folder = try TemporaryFolder()
    let result = try runTool(
      "query", people, "Dog", "-c", "name", "-o", "dogs.csv", "--format", "csv", folder: folder.url)
    #expect(result.text == "\(people): 3 objects of Dog found\n")
    #expect(
      try folder.contents()["dogs.csv"]?.bytes == Data("name\r\nRex\r\nfido\r\n\"\"\r\n".utf8))
  }

  @Test(
    "an invalid query is shown with its place and what was expected",
    arguments: [
      (
        ["Persn"],
        "class: there is no class 'Persn'\n  Persn\n  ^~~~~\n  hint: did you mean 'Person'?\n"
      ),
      (
        ["Person", "agee > 1"],
        "query: Person has no property 'agee'\n  agee > 1\n  ^~~~\n  hint: did you mean 'age'?\n"
      ),
      (
        ["Person", "--sum", "name"],
        "--sum: found values of type string, expected numbers\n  name\n  ^~~~\n"
          + "  hint: the properties of Person with numbers are _id, age, height, weight, balance, scores, "
          + "counts, n, m\n"
      ),
      (
        ["Person", "--avg", "agee"],
        "--avg: Person has no property 'agee'\n  agee\n  ^~~~\n  hint: did you mean 'age'?\n"
      ),
      (
        ["Person", "--max", "age,dog.agee"],
        "--max: Dog has no property 'agee'\n  age,dog.agee\n          ^~~~\n"
          + "  hint: did you mean 'age'?\n"
      ),
      (
        ["Person", "--min", "hund.age"],
        "--min: Person has no property 'hund'\n  hund.age\n  ^~~~\n"
          + "  hint: the properties are _id, name, email, age, height, weight, born, active, balance, oid, "
          + "uid, avatar and 20 more\n"
      ),
      (
        ["Person", "--avg", "dog.name"],
        "--avg: found values of type string, expected numbers\n  dog.name\n  ^~~~~~~~\n"
          + "  hint: the properties of Dog with numbers are dog.age, dog.w\n"
      ),
      (
        ["Person", "--max", "dogs"],
        "--max: found values of type Dog object, expected values with an order\n  dogs\n  ^~~~\n"
          + "  hint: the properties of Dog with an order are dogs._id, dogs.name, dogs.age, dogs.w\n"
      ),
      (
        ["Person", "--group-by", "dog.nam"],
        "--group-by: Dog has no property 'nam'\n  dog.nam\n      ^~~\n  hint: did you mean 'name'?\n"
      ),
      (
        ["Person", "--group-by", "age,name"],
        "--group-by: found 2 paths, expected one to group by\n  age,name\n  ^~~~~~~~\n"
          + "  hint: name one path; its values make the groups\n"
      ),
      (
        ["Note", "--sum", "text"],
        "--sum: found values of type string, expected numbers\n  text\n  ^~~~\n"
          + "  hint: Note has no property with numbers\n"
      ),
      (
        ["Person", "--group-by", "dogs"],
        "--group-by: found several values, expected a path to a single value\n  dogs\n  ^~~~\n"
          + "  hint: group by a property with one value, or by a number of values: dogs.@count\n"
      ),
      (
        ["Person", "-c", "name age"],
        "-c: found 'age', expected '.', '[', ',' or the end\n  name age\n       ^~~\n"
          + "  hint: write commas between paths: name, dog.name\n"
      ),
      (
        ["Person", "age == $0", "--arg", "[1"],
        "--arg: this is not JSON: a value, comma, colon or bracket is wrong or missing\n"
          + "  [1\n   ^\n"
          + "  hint: a word that is not JSON is a string; docs/realm-json.md shows how to write other values\n"
      ),
    ])
  func wrongTexts(arguments: [String], expected: String) throws {
    let result = try runTool(["query", people] + arguments)
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.stderr == "realm-cli: " + expected)
  }

  @Test("options that contradict each other are wrong usage")
  func contradictions() throws {
    for options in [
      ["-c", "name", "--count"], ["--exists", "--explain"], ["-c", "name", "--format", "ids"],
      ["--group-by", "age", "--format", "ids"], ["--limit", "-1"],
    ] {
      let result = try runTool(["query", people, "Person"] + options)
      #expect(result.status == 64, "\(options)")
    }
  }

  @Test("old and encrypted realms can be queried, too")
  func otherRealms() throws {
    let old = try runTool(
      "query", Golden.path("names-v0.realm"), "Person", "age > 80", "--format", "csv")
    #expect(
      old.text == "_key,firstName,lastName,age\r\n0,Bilbo,Baggins,111\r\n1,Frodo,Baggins,81\r\n")
  }
}

@Suite("realm-cli export --where")
struct ExportWhereTests {
  @Test("only the found objects are written, as a partial document")
  func partial() throws {
    let result = try runTool(
      "export", people, "--class", "Dog", "--where", "age > 3 SORT(age DESC)", "--format", "ndjson")
    #expect(result.status == 0)
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].contains("\"partial\":true"))
    #expect(
      lines[1]
        == "{\"class\":\"Dog\",\"object\":{\"_id\":\"fido\",\"name\":\"fido\",\"age\":7,\"w\":20.0}}"
    )
    #expect(lines[2] == "{\"counts\":{\"Dog\":1}}")
  }

  @Test("the export can be imported")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let export = try runTool(
      "export", people, "--class", "Dog", "--where", "name != null SORT(age DESC)", "-o",
      "dogs.json", folder: folder.url)
    #expect(export.status == 0)
    #expect(try runTool("import", "dogs.json", "-o", "dogs.realm", folder: folder.url).status == 0)
    let found = try runTool("query", "dogs.realm", "Dog", "--format", "ids", folder: folder.url)
    #expect(found.text.split(separator: "\n").sorted() == ["\"fido\"", "\"rex\""])
  }

  @Test("the query needs one class, and its errors show their place")
  func errors() throws {
    let without = try runTool("export", people, "--where", "age > 3")
    #expect(without.status == 64)
    #expect(without.stderr.contains("--where needs one class: name it with --class"))
    let wrong = try runTool("export", people, "--class", "Dog", "--where", "agee > 3")
    #expect(wrong.status == 64)
    #expect(
      wrong.stderr == """
        realm-cli: --where: Dog has no property 'agee'
          agee > 3
          ^~~~
          hint: did you mean 'age'?

        """)
  }
}
