import Foundation
import GRDB

struct Company: ExportedRecord {
    static let databaseTableName = "Company"

    var _id: String
    var uuid: UUID

    enum CodingKeys: String, CodingKey {
        case _id
        case uuid
    }

    enum Columns {
        static let _id = Column(CodingKeys._id)
        static let uuid = Column(CodingKeys.uuid)
    }

    static let ratings = hasMany(CompanyRatings.self, key: "ratings", using: ForeignKey(["owner"])).order(CompanyRatings.Columns.id)
    static let offices = hasMany(CompanyOffices.self, key: "offices", using: ForeignKey(["owner"])).order(CompanyOffices.Columns.id)
}

extension Company {
    /// An object with those that it links to, and its collections.
    struct WithRelations: Codable, FetchableRecord {
        var record: Company
        var ratings: [CompanyRatings]
        var offices: [CompanyOffices]

        enum CodingKeys: String, CodingKey {
            case record
            case ratings
            case offices
        }
    }

    static func withRelations() -> QueryInterfaceRequest<WithRelations> {
        all().including(all: ratings).including(all: offices).asRequest(of: WithRelations.self)
    }
}

struct CompanyRatings: ExportedRecord {
    static let databaseTableName = "Company_ratings"

    var id: Int?
    var ownerId: String
    var key: String
    var value: Int

    enum CodingKeys: String, CodingKey {
        case id
        case ownerId = "owner"
        case key
        case value
    }

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let ownerId = Column(CodingKeys.ownerId)
        static let key = Column(CodingKeys.key)
        static let value = Column(CodingKeys.value)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = Int(inserted.rowID)
    }

    static let owner = belongsTo(Company.self, key: "ownerLink", using: ForeignKey(["owner"], to: ["_id"]))
}

struct CompanyOffices: ExportedRecord {
    static let databaseTableName = "Company_offices"

    var id: Int?
    var ownerId: String
    var value: String

    enum CodingKeys: String, CodingKey {
        case id
        case ownerId = "owner"
        case value
    }

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let ownerId = Column(CodingKeys.ownerId)
        static let value = Column(CodingKeys.value)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = Int(inserted.rowID)
    }

    static let owner = belongsTo(Company.self, key: "ownerLink", using: ForeignKey(["owner"], to: ["_id"]))
}

struct Counter: ExportedRecord {
    static let databaseTableName = "Counter"

    var _key: Int?
    var n: Int

    enum CodingKeys: String, CodingKey {
        case _key
        case n
    }

    enum Columns {
        static let _key = Column(CodingKeys._key)
        static let n = Column(CodingKeys.n)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        _key = Int(inserted.rowID)
    }
}

struct Person: ExportedRecord {
    static let databaseTableName = "Person"

    var _id: String
    var firstName: String
    var lastName: String
    var age: Int
    var email: String?
    var born: Date?
    var active: Bool
    var balance: String
    var score: Double?
    var avatar: Data?
    var bio: String
    var companyId: String?
    var managerId: String?

    enum CodingKeys: String, CodingKey {
        case _id
        case firstName
        case lastName
        case age
        case email
        case born
        case active
        case balance
        case score
        case avatar
        case bio
        case companyId = "company"
        case managerId = "manager"
    }

    enum Columns {
        static let _id = Column(CodingKeys._id)
        static let firstName = Column(CodingKeys.firstName)
        static let lastName = Column(CodingKeys.lastName)
        static let age = Column(CodingKeys.age)
        static let email = Column(CodingKeys.email)
        static let born = Column(CodingKeys.born)
        static let active = Column(CodingKeys.active)
        static let balance = Column(CodingKeys.balance)
        static let score = Column(CodingKeys.score)
        static let avatar = Column(CodingKeys.avatar)
        static let bio = Column(CodingKeys.bio)
        static let companyId = Column(CodingKeys.companyId)
        static let managerId = Column(CodingKeys.managerId)
    }

    static let company = belongsTo(Company.self, key: "companyLink", using: ForeignKey(["company"], to: ["_id"]))
    static let manager = belongsTo(Person.self, key: "managerLink", using: ForeignKey(["manager"], to: ["_id"]))
    static let tags = hasMany(PersonTags.self, key: "tags", using: ForeignKey(["owner"])).order(PersonTags.Columns.position)
}

extension Person {
    /// An object with those that it links to, and its collections.
    struct WithRelations: Codable, FetchableRecord {
        var record: Person
        var company: Company?
        var manager: Person?
        var tags: [PersonTags]

        enum CodingKeys: String, CodingKey {
            case record
            case company = "companyLink"
            case manager = "managerLink"
            case tags
        }
    }

    static func withRelations() -> QueryInterfaceRequest<WithRelations> {
        all().including(optional: company).including(optional: manager).including(all: tags).asRequest(of: WithRelations.self)
    }
}

struct PersonTags: ExportedRecord {
    static let databaseTableName = "Person_tags"

    var id: Int?
    var ownerId: String
    var position: Int
    var value: String

    enum CodingKeys: String, CodingKey {
        case id
        case ownerId = "owner"
        case position
        case value
    }

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let ownerId = Column(CodingKeys.ownerId)
        static let position = Column(CodingKeys.position)
        static let value = Column(CodingKeys.value)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = Int(inserted.rowID)
    }

    static let owner = belongsTo(Person.self, key: "ownerLink", using: ForeignKey(["owner"], to: ["_id"]))
}

/// How dates and UUIDs are stored in the tables.
protocol ExportedRecord: Codable, FetchableRecord, MutablePersistableRecord {}

extension ExportedRecord {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .custom(exportedDate)
    }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .custom(exportedText)
    }

    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .lowercaseString
    }
}

/// Reads dates such as 2023-11-14T22:13:20.123456789Z.
@Sendable private func exportedDate(_ value: DatabaseValue) -> Date? {
    guard let text = String.fromDatabaseValue(value), text.utf8.count > 20,
        let seconds = secondsSince1970(text.prefix(19)),
        let fraction = Double("0" + text.dropFirst(19).dropLast())
    else { return nil }
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
}

@Sendable private func exportedText(_ date: Date) -> (any DatabaseValueConvertible)? {
    let (time, secondsPerDay) = (date.timeIntervalSince1970, 86_400)
    guard time.magnitude < 3e11 else { return nil }
    let seconds = Int(time.rounded(.down))
    let nanoseconds = min(Int((time - time.rounded(.down)) * 1e9), 999_999_999)
    let second = (seconds % secondsPerDay + secondsPerDay) % secondsPerDay
    // Days since 0000-03-01, in cycles of 400 years.
    let days = (seconds - second) / secondsPerDay + 719_468
    let cycle = (days >= 0 ? days : days - 146_096) / 146_097
    let day = days - cycle * 146_097
    let yearOfCycle = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return String(
        format: "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0), month,
        dayOfYear - (153 * marchMonth + 2) / 5 + 1, second / 3600, second / 60 % 60, second % 60, nanoseconds)
}

/// The seconds since 1970 of a date such as 2023-11-14T22:13:20, in the calendar of today at all times: Foundation takes
/// dates before 1582 for those of an older one.
private func secondsSince1970(_ text: Substring) -> Int? {
    let parts = text.split { "-T:".contains($0) }.compactMap { Int($0) }
    guard parts.count == 6 else { return nil }
    // Years start in March, so that the leap day is the last day.
    let (year, month) = parts[1] > 2 ? (parts[0], parts[1] - 3) : (parts[0] - 1, parts[1] + 9)
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + parts[2] - 719_469
    return days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
}
