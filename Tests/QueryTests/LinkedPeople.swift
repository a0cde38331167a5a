import Foundation
import RealmJobs
import RealmModel
import RealmStorage
import TestSupport

/// Random persons, their companies, and the countries of these, as a realm and as values to compute results with.
struct LinkedPeople: Sendable {
  struct Country: Sendable {
    var id: String
    var population: Int
  }

  struct Company: Sendable {
    var id: String
    /// Indexed.
    var size: Int
    var country: Int?
  }

  struct Person: Sendable {
    var id: Int
    /// Indexed.
    var age: Int
    var company: Int?
    /// A set, a list and a dictionary of links.
    var clubs: [Int]
    var friends: [Int]
    var jobs: [Int]
    /// The number, which is indexed, and the landlord of an embedded object.
    var home: (number: Int, landlord: Int?)?
  }

  let countries: [Country]
  let companies: [Company]
  let people: [Person]
  let realm: Realm
  let path: String
  private let folder: TemporaryFolder

  init(seed: UInt64, people count: Int, companies companyCount: Int) throws {
    var random = SplitMix64(seed: seed)
    func some(_ count: Int, outOf all: Int) -> [Int] {
      (0..<Int.random(in: 0...count, using: &random)).map { _ in
        Int.random(in: 0..<all, using: &random)
      }
    }
    countries = (0..<20).map { Country(id: "k\($0)", population: $0 % 7) }
    companies = (0..<companyCount).map {
      Company(
        id: "c\($0)", size: Int.random(in: 0..<50, using: &random),
        country: some(1, outOf: 20).first)
    }
    people = (0..<count).map { number in
      Person(
        id: number, age: Int.random(in: 0..<100, using: &random),
        company: some(1, outOf: companyCount).first,
        clubs: Array(Set(some(2, outOf: companyCount))), friends: some(3, outOf: count),
        jobs: some(2, outOf: companyCount),
        home: some(1, outOf: count).first.map { ($0, some(1, outOf: companyCount).first) })
    }
    folder = try TemporaryFolder()
    path = folder.path("people.realm")
    let text = try folder.write(
      Array(LinkedPeople.document(countries, companies, people).utf8), to: "people.json")
    _ = try ImportJob(path: text, to: .new(path, replacing: false, key: nil)).run()
    realm = try Realm(path: path)
  }

  private static func document(
    _ countries: [Country], _ companies: [Company], _ people: [Person]
  ) -> String {
    func link(_ name: Character, _ number: Int?) -> String {
      number.map { "\"\(name)\($0)\"" } ?? "null"
    }
    let countries = countries.map { #"{"_id":"\#($0.id)","population":\#($0.population)}"# }
    let companies = companies.map {
      #"{"_id":"\#($0.id)","size":\#($0.size),"country":\#(link("k", $0.country))}"#
    }
    let people = people.map { person in
      let clubs = person.clubs.map { link("c", $0) }.joined(separator: ",")
      let jobs = person.jobs.enumerated().map { #""j\#($0)":\#(link("c", $1))"# }
      let home = person.home.map {
        #"{"number":\#($0.number),"landlord":\#(link("c", $0.landlord))}"#
      }
      return #"{"_id":\#(person.id),"age":\#(person.age),"company":\#(link("c", person.company)),"#
        + #""clubs":[\#(clubs)],"friends":\#(person.friends),"#
        + #""jobs":{\#(jobs.joined(separator: ","))},"home":\#(home ?? "null")}"#
    }
    return #"{"realm":{"format":"realm-json","version":1,"schemaVersion":1},"schema":["#
      + #"{"name":"Country","primaryKey":"_id","properties":{"_id":"string","population":"int"}},"#
      + #"{"name":"Company","primaryKey":"_id","properties":{"_id":"string","#
      + #""size":{"type":"int","indexed":true},"country":"Country?"}},"#
      + #"{"name":"Person","primaryKey":"_id","properties":{"_id":"int","#
      + #""age":{"type":"int","indexed":true},"company":"Company?","clubs":"Company<>","#
      + #""friends":"Person[]","jobs":"Company?{}","home":"Home?"}},"#
      + #"{"name":"Home","embedded":true,"properties":{"#
      + #""number":{"type":"int","indexed":true},"landlord":"Company?"}}],"#
      + #""objects":{"Country":[\#(countries.joined(separator: ","))],"#
      + #""Company":[\#(companies.joined(separator: ","))],"#
      + #""Person":[\#(people.joined(separator: ",\n"))]}}"#
  }
}
