import Foundation
import RealmBrowse
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// The realm of the measured queries, written by the reference.
private let people = MeasuredQuery.realm

@Suite("pages of browse")
struct PageTests {
  private let site = Site(people)

  @Test("the list of realms leads to each realm, and its page to its classes")
  func home() throws {
    let home = PageText(try site.get("/").text)
    #expect(home.links(people) == ["/0/"])
    let realm = PageText(try site.get("/0/").text)
    #expect(realm.links("Person").first == "/0/class/Person/")
    #expect(realm.links("Note") == ["/0/class/Note/"])
    #expect(realm.html.contains("Person.boss"))
  }

  @Test("the table of a class has its objects with their values")
  func table() throws {
    let page = PageText(try site.get("/0/class/Dog/").text)
    #expect(
      page.rows == [
        ["rex", "Rex", "3", "10.5"], ["fido", "fido", "7", "20.0"],
        ["nul", "null", "null", "null"],
      ])
    #expect(page.links("rex") == ["/0/class/Dog/0"])
    #expect(page.html.contains("3 objects"))
  }

  @Test("a class without a primary key shows object keys")
  func keys() throws {
    let page = PageText(try site.get("/0/class/Note/").text)
    #expect(page.rows.first?.first == "0")
  }

  @Test("a query finds what the query command finds")
  func query() throws {
    let found = PageText(try site.get("/0/class/Dog/?q=age+%3E+3+OR+name+%3D%3D+null").text)
    #expect(found.rows.map { $0[0] } == ["fido", "nul"])
    #expect(found.html.contains("2 of 3 objects"))
  }

  @Test("an error in a query is shown under its place, and the last result stays")
  func queryError() throws {
    let page = try site.get("/0/class/Dog/?q=age+%3E+&last=age+%3E+3")
    #expect(page.status == 422)
    let text = PageText(page.text)
    #expect(text.rows.map { $0[0] } == ["fido"])
    let marked = "  age &gt; \n        ^\n"
    #expect(page.text.contains(marked))
    #expect(page.text.contains("value=\"age &gt; \""))
  }

  @Test("a near name is offered for an unknown property")
  func nearName() throws {
    let page = try site.get("/0/class/Dog/?q=nam+%3D%3D+1")
    #expect(page.text.contains("name"))
    #expect(page.text.contains("role=\"alert\""))
  }

  @Test("a click on a head sorts, another one turns the order around, a third one ends it")
  func sorting() throws {
    var page = PageText(try site.get("/0/class/Dog/").text)
    let ascending = try #require(page.links("age").first)
    page = PageText(try site.follow(ascending).text)
    // Nulls come first.
    #expect(page.rows.map { $0[0] } == ["nul", "rex", "fido"])
    #expect(page.html.contains("aria-sort=\"ascending\""))
    let descending = try #require(page.links("age").first)
    page = PageText(try site.follow(descending).text)
    #expect(page.rows.map { $0[0] } == ["fido", "rex", "nul"])
    #expect(page.html.contains("aria-sort=\"descending\""))
    #expect(page.links("age").first == "/0/class/Dog/")
  }

  @Test("the columns of the URL are shown, with paths over links")
  func columns() throws {
    let page = PageText(
      try site.get("/0/class/Person/?c=name&c=dog.name,dogs.@count").text)
    #expect(page.rows[0] == ["1", "Ann", "Rex", "2"])
    #expect(page.rows[2] == ["3", "null", "null", "0"])
  }

  @Test("a wrong path to a column is an error with its place, and the usual columns stay")
  func wrongColumn() throws {
    let page = try site.get("/0/class/Dog/?c=dog.nam")
    #expect(page.status == 422)
    #expect(PageText(page.text).rows.count == 3)
    #expect(page.text.contains("dog.nam"))
  }

  @Test("a facet counts the values, and its links narrow the query")
  func facet() throws {
    let page = PageText(try site.get("/0/class/Person/?q=n+%3C+100&facet=email").text)
    // Of the four people, 2 and 3 have no e-mail address.
    let link = try #require(page.links("empty").first)
    let narrowed = PageText(try site.follow(link).text)
    #expect(narrowed.rows.map { $0[0] } == ["2", "3"])
    #expect(narrowed.html.contains("2 of 5 objects"))
  }

  @Test(
    "a facet keeps the order and the limit of a query", arguments: ["SORT(_id DESC)", "LIMIT(4)"])
  func facetOfOrderedQuery(ordering: String) throws {
    let text = PercentEncoding.encode("TRUEPREDICATE \(ordering)")
    let page = PageText(try site.get("/0/class/Person/?q=\(text)&facet=email").text)
    let link = try #require(page.links("empty").first)
    #expect(link.contains(PercentEncoding.encode(ordering)))
    #expect(try site.follow(link).status == 200)
  }

  /// Each value of a facet with the number of objects beside it, as shown, and the target of its link.
  private func values(_ page: PageText) -> [(text: String, target: String?, count: String)] {
    let list = page.html.components(separatedBy: "<ol>").dropFirst().first ?? ""
    return list.components(separatedBy: "<li>").dropFirst().map { item in
      let item = item.components(separatedBy: "</li>")[0]
      let parts = item.components(separatedBy: "<span class=\"number\">")
      let count = parts[1].components(separatedBy: "<")[0]
      let link = PageText(parts[0]).links.first
      return (PageText.decoded(PageText.withoutTags(parts[0])), link?.target, count)
    }
  }

  @Test(
    "the query of each value of a facet finds as many objects as the facet counted",
    arguments: [
      "all-types", "links", "nested-mixed", "people", "primary-keys", "strings", "churned",
    ])
  func facetCounts(name: String) throws {
    let site = Site(Golden.path("\(name).realm"))
    let schema = try Realm(path: Golden.path("\(name).realm")).schema.objects
    var checked: Set<String> = []
    for position in schema.appClasses {
      let owner = schema.classes[position]
      for property in owner.properties {
        let target =
          "/0/class/\(PercentEncoding.encode(owner.name.text))/?facet="
          + PercentEncoding.encode(property.name.text)
        let page = try site.get(target)
        #expect(page.status == 200, "\(target)")
        for value in values(PageText(page.text)).prefix(6) {
          guard let target = value.target else { continue }
          let found = try site.follow(target)
          #expect(
            found.text.contains(">\(value.count) of "),
            "\(owner.name.text).\(property.name.text) \(value.text): \(value.count), \(target)")
          checked.insert("\(property.type) \(String(describing: property.collection))")
        }
      }
    }
    #expect(!checked.isEmpty)
  }

  @Test("the targets of most links, and the elements of most objects, are values of facets")
  func facetOfLinks() throws {
    let dogs = values(PageText(try site.get("/0/class/Person/?facet=dog").text))
    #expect(dogs.map(\.text).contains("rex") && dogs.map(\.text).contains("null"))
    let query = try #require(dogs.first { $0.text == "rex" }?.target)
    #expect(query.contains(PercentEncoding.encode("dog == obj(\"Dog\", \"rex\")")))
    let people = Site(Golden.path("people.realm"))
    let tags = values(PageText(try people.get("/0/class/Person/?facet=tags").text))
    #expect(
      try #require(tags[0].target).contains(PercentEncoding.encode("ANY tags == \"\(tags[0].text)"))
    )
    // Most objects come first.
    let counts = tags.compactMap { Int($0.count) }
    #expect(counts.count > 5 && counts == counts.sorted(by: >))
  }

  /// 40,000 objects are in 157 clusters of 256, the last of which has 64: a sample takes 64 of them.
  @Test("a facet of many objects counts a sample from the first to the last, and says so")
  func sampledFacet() throws {
    let folder = try TemporaryFolder()
    var lines =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":["#
      + #"{"name":"T","keyMember":"_key","properties":{"block":"int","n":"int"}}]}"# + "\n"
    for i in 0..<40_000 {
      lines += #"{"class":"T","object":{"_key":\#(i),"block":\#(i / 256),"n":\#(i)}}"# + "\n"
    }
    lines += #"{"counts":{"T":40000}}"# + "\n"
    let text = try folder.write(Array(lines.utf8), to: "x.ndjson")
    #expect(try runTool("import", text, "-o", folder.path("x.realm")).status == 0)
    let site = Site(folder.path("x.realm"))
    let page = PageText(try site.get("/0/class/T/?facet=block").text)
    #expect(page.html.contains("a sample: 16,192 of 40,000 objects"))
    let blocks = values(page)
    #expect(blocks.map(\.count) == Array(repeating: "256", count: 20))
    #expect(blocks[0].text == "0" && blocks[1].text == "\(156 / 63)")
    #expect(page.html.contains("and \(64 - 20) more values"))
    // A query has runs, too.
    let query = PercentEncoding.encode("n < 20000")
    let narrowed = PageText(try site.get("/0/class/T/?q=\(query)&facet=block").text)
    #expect(narrowed.html.contains("a sample: 16,384 of 20,000 objects"))
    let whole = PageText(try site.get("/0/class/T/?exact=1&facet=block").text)
    #expect(!whole.html.contains("sample") && whole.html.contains("and \(157 - 20) more values"))
  }

  @Test("each page of a sorted result is a part of the whole", arguments: ["", "&desc=1"])
  func sortedPages(direction: String) throws {
    let site = Site(Golden.path("people.realm"))
    // Many people have the same age.
    for sort in ["age", "firstName", "company._id"] {
      let order = "sort=\(sort)\(direction)"
      let all = try site.get("/0/class/Person/objects.csv?c=_id&\(order)").text
        .split(separator: "\r\n").dropFirst().map(String.init)
      #expect(all.count > 2800)
      for start in [0, 200, 250, 1300, 2450, 2500, all.count - 251, all.count - 50, all.count - 1] {
        let page = PageText(try site.get("/0/class/Person/?c=_id&\(order)&from=\(start)").text)
        #expect(
          page.rows.map { $0[0] } == Array(all.dropFirst(start).prefix(50)), "\(order) \(start)")
      }
    }
  }

  @Test("pages of an ordered query sort its result, and keep its order where objects are equal")
  func sortedPagesOfOrderedQuery() throws {
    let site = Site(Golden.path("people.realm"))
    let query = "q=" + PercentEncoding.encode("age > 20 SORT(lastName DESC) LIMIT(2000)")
    let all = try site.get("/0/class/Person/objects.csv?c=_id&\(query)&sort=age").text
      .split(separator: "\r\n").dropFirst().map(String.init)
    #expect(all.count == 2000)
    for start in [0, 1000, 1900, 1950] {
      let page = PageText(
        try site.get("/0/class/Person/?c=_id&\(query)&sort=age&from=\(start)").text)
      #expect(page.rows.map { $0[0] } == Array(all.dropFirst(start).prefix(50)), "\(start)")
    }
  }

  @Test("an object has its values, its links, and the objects that link to it")
  func object() throws {
    let person = PageText(try site.get("/0/class/Person/0").text)
    #expect(person.html.contains("ann@x.org"))
    // The dog itself, in the list, and in the dictionaries.
    #expect(person.links("rex").first == "/0/class/Dog/0")
    let dog = PageText(try site.follow("/0/class/Dog/0").text)
    #expect(dog.html.contains("Linked from"))
    #expect(dog.html.contains("Person.dog<"))
    #expect(dog.links("1").first == "/0/class/Person/0")
  }

  @Test("a value has a page of its own, and its bytes")
  func values() throws {
    let avatar = try #require(
      PageText(try site.get("/0/class/Person/0").text).links("the bytes").first)
    let bytes = try site.follow(avatar)
    #expect(bytes.text == "abc" && bytes.type == "application/octet-stream")
    let name = try site.get("/0/class/Person/4/value?at=1")
    #expect(name.text == "multi\nline \"q\"" && name.type == "text/plain; charset=utf-8")
    #expect(try site.get("/0/class/Person/4/value?at=3").status == 404)
    #expect(try site.get("/0/class/Person/4/value?at=1.7.9").status == 404)
  }

  @Test("every page has JSON, and a table the whole result as NDJSON and CSV")
  func files() throws {
    #expect(
      try site.get("/0/class/Dog/objects.ndjson?q=age+%3E+3").text
        == "{\"_id\":\"fido\",\"name\":\"fido\",\"age\":7,\"w\":20.0}\n")
    #expect(
      try site.get("/0/class/Dog/objects.csv?q=age+%3C+5").text
        == "_id,name,age,w\r\nrex,Rex,3,10.5\r\n")
    #expect(
      try site.get("/0/class/Dog/objects.csv?c=name&c=age&sort=age&desc=1").text
        == "name,age\r\nfido,7\r\nRex,3\r\n,\r\n")
    #expect(
      try site.get("/0/class/Dog/0.json").text
        == "{\"_id\":\"rex\",\"name\":\"Rex\",\"age\":3,\"w\":10.5}\n")
    for page in [
      "/index.json", "/0/index.json", "/0/stats.json", "/0/verify.json", "/0/schema.json",
      "/0/class/Dog/objects.json", "/0/version.json", "/0/class/Dog/complete.json?q=na",
    ] {
      let file = try site.get(page)
      #expect(file.status == 200, "\(page)")
      #expect(
        (try? JSONSerialization.jsonObject(with: Data(file.text.utf8))) != nil, "\(page)")
    }
  }

  @Test("the changes of the last commit are JSON, as diff --previous --json prints them")
  func changes() throws {
    let path = Golden.path("people.realm")
    let page = try Site(path).get("/0/changes.json")
    #expect(page.status == 200 && page.type.hasPrefix("application/json"))
    let printed = try runTool("diff", "--previous", path, "--json")
    #expect(page.text == printed.text, "\(printed.stderr)")
  }

  @Test("completion offers properties of the class, and of the class behind a link")
  func completion() throws {
    struct Answer: Decodable {
      struct Word: Decodable {
        let word: String
        let kind: String
      }
      let replace: Int
      let words: [Word]
    }
    func words(_ text: String) throws -> Answer {
      let file = try site.get("/0/class/Person/complete.json?q=" + PercentEncoding.encode(text))
      return try JSONDecoder().decode(Answer.self, from: Data(file.text.utf8))
    }
    #expect(try words("na").words.map(\.word) == ["name"])
    #expect(try words("na").replace == 2)
    #expect(try words("age > 3 AND dog.a").words.map(\.word) == ["age"])
    #expect(try words("name ").words.map(\.word).contains("CONTAINS"))
    #expect(try words("name == 'na").words.isEmpty)
  }

  @Test(
    "what does not exist has a page that says so",
    arguments: [
      "/1/", "/00/", "/0/nothing", "/0/class/Nobody/", "/0/class/Dog/77", "/0/class/Dog/-1",
      "/0/class/Dog/0x1", "/assets/../browse.css", "/0/class/Dog/0/value", "/assets/browse.txt",
      "/0/class/metadata/",
    ])
  func missing(target: String) throws {
    #expect(try site.get(target).status == 404)
  }

  @Test("the schema is shown in each language")
  func schema() throws {
    #expect(try site.get("/0/schema").text.contains("<svg"))
    #expect(try site.get("/0/schema?as=swift").text.contains("class Person: Object"))
    #expect(try site.get("/0/schema?as=kotlin").text.contains("class Person : RealmObject"))
    #expect(try site.get("/0/schema?as=text").text.contains("&lt;- Person.dog"))
  }

  @Test("verify and stats of a small realm are there at once")
  func tasks() throws {
    #expect(try site.get("/0/verify").text.contains("No errors"))
    #expect(try site.get("/0/stats").text.contains("after compact"))
  }

  @Test("a realm with its key is shown, and without it the page says what is missing")
  func encrypted() throws {
    let path = Golden.path("people-encrypted.realm")
    let open = Site(path, key: try KeyFile.read(Golden.path("people-encrypted.key")).key)
    let realm = try open.get("/0/")
    #expect(realm.status == 200)
    #expect(PageText(realm.text).links.contains { $0.target.hasPrefix("/0/class/") })
    let closed = Site(path)
    let page = try closed.get("/0/")
    #expect(page.status == 422 && page.text.contains("--key-file"))
    #expect(try closed.get("/").status == 200)
  }

  @Test("the version before the newest one is shown as it was")
  func previous() throws {
    let page = try site.get("/0/?version=previous")
    #expect([200, 422].contains(page.status))
    if page.status == 200 { #expect(page.text.contains("the commit before the newest one")) }
  }

  @Test("realms of old formats are shown like any other")
  func legacy() throws {
    for file in LegacyFile.all.prefix(20) {
      let site = Site(file.path, key: file.key)
      let realm = try site.get("/0/")
      #expect([200, 422].contains(realm.status), "\(file)")
      for link in PageText(realm.text).links where link.target.hasPrefix("/0/class/") {
        #expect([200, 422].contains(try site.follow(link.target).status), "\(file) \(link.target)")
      }
    }
  }
}
