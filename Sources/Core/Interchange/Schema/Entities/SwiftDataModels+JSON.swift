extension SwiftDataModels {
  /// The part of the file that reads Realm JSON.
  static let json = #"""

    struct RealmJSONError: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// A value of Realm JSON. Numbers keep their digits.
    indirect enum RealmJSON {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([RealmJSON])
        case object([(name: String, value: RealmJSON)])

        var isNull: Bool { if case .null = self { true } else { false } }

        subscript(name: String) -> RealmJSON {
            guard case .object(let members) = self else { return .null }
            return members.first { $0.name == name }?.value ?? .null
        }

        func has(_ name: String) -> Bool {
            guard case .object(let members) = self else { return false }
            return members.contains { $0.name == name }
        }

        private func wrapped(_ name: String) -> RealmJSON? {
            guard case .object(let members) = self, members.count == 1, members[0].name == name else { return nil }
            return members[0].value
        }

        private func wrong(_ type: String) -> RealmJSONError { RealmJSONError("\(text) is not \(type)") }

        func optional<Value>(_ read: (RealmJSON) throws -> Value) rethrows -> Value? { isNull ? nil : try read(self) }

        func int() throws -> Int {
            guard case .number(let digits) = self, let number = Int(digits) else { throw wrong("an int") }
            return number
        }

        func bool() throws -> Bool {
            guard case .bool(let flag) = self else { throw wrong("a bool") }
            return flag
        }

        func double() throws -> Double {
            if case .number(let digits) = self, let number = Double(digits) { return number }
            if let special = self["$numberDouble"].plainText {
                return special == "NaN" ? .nan : special == "Infinity" ? .infinity : -.infinity
            }
            throw wrong("a number")
        }

        func float() throws -> Float {
            if case .number(let digits) = self, let number = Float(digits) { return number }
            return Float(try double())
        }

        private var plainText: String? { if case .string(let text) = self { text } else { nil } }

        func string() throws -> String {
            if let text = plainText { return text }
            if let bytes = wrapped("$string") { return String(decoding: try bytes.base64(), as: UTF8.self) }
            throw wrong("a string")
        }

        private func base64() throws -> Data {
            guard let data = self["base64"].plainText.flatMap({ Data(base64Encoded: $0) }) else { throw wrong("base64") }
            return data
        }

        func data() throws -> Data {
            guard let binary = wrapped("$binary") else { throw wrong("data") }
            return try binary.base64()
        }

        func date() throws -> Date {
            guard let value = wrapped("$date") else { throw wrong("a date") }
            if let seconds = value["$seconds"].plainText.flatMap(Double.init) {
                return Date(timeIntervalSince1970: seconds + (try value["$ns"].double()) / 1e9)
            }
            guard let text = value.plainText, let seconds = secondsSince1970(text.prefix(19)) else {
                throw wrong("a date")
            }
            return Date(timeIntervalSince1970: Double(seconds) + (Double("0" + text.dropFirst(19).dropLast()) ?? 0))
        }

        func decimal() throws -> String {
            guard let text = self["$numberDecimal"].plainText else { throw wrong("a decimal") }
            return text
        }

        func objectId() throws -> String {
            guard let text = wrapped("$oid")?.plainText else { throw wrong("an object id") }
            return text
        }

        func uuid() throws -> UUID {
            guard let id = wrapped("$uuid")?.plainText.flatMap({ UUID(uuidString: $0) }) else { throw wrong("a UUID") }
            return id
        }

        func array() throws -> [RealmJSON] {
            guard case .array(let elements) = self else { throw wrong("a list") }
            return elements
        }

        func dictionary() throws -> [String: RealmJSON] {
            if case .array(let pairs)? = wrapped("$dictionary") {
                return Dictionary(
                    try pairs.map { pair in (try pair.array()[0].string(), try pair.array()[1]) }, uniquingKeysWith: { $1 })
            }
            guard case .object(let members) = wrapped("$dictionary") ?? self else { throw wrong("a dictionary") }
            return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        }

        func entry(_ key: String) throws -> RealmJSON { try dictionary()[key] ?? .null }

        /// The identity of a link's target; nil for no link, and for a target that does not exist.
        func identity() throws -> RealmJSON? {
            guard let link = wrapped("$link") else { return isNull ? nil : self }
            return link.has("unresolved") ? nil : link["id"]
        }

        /// The JSON.
        var text: String {
            switch self {
            case .null: "null"
            case .bool(let flag): flag ? "true" : "false"
            case .number(let digits): digits
            case .string(let text): RealmJSON.quoted(text)
            case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
            case .object(let members):
                "{" + members.map { RealmJSON.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
            }
        }

        private static func quoted(_ text: String) -> String {
            var quoted = "\""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": quoted += "\\\""
                case "\\": quoted += "\\\\"
                case "\u{0}"..."\u{1F}":
                    let digits = String(scalar.value, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: quoted.unicodeScalars.append(scalar)
                }
            }
            return quoted + "\""
        }
    }

    /// Parses the JSON that `realm-cli` writes.
    struct RealmJSONParser {
        private let bytes: [UInt8]
        private var position = 0

        static func parse(_ bytes: [UInt8]) throws -> RealmJSON {
            var parser = RealmJSONParser(bytes)
            return try parser.value()
        }

        private init(_ bytes: [UInt8]) { self.bytes = bytes }

        private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

        private var problem: RealmJSONError { RealmJSONError("byte \(position) of a line is not Realm JSON") }

        private mutating func skip(_ text: String) throws {
            guard bytes[position...].starts(with: text.utf8) else { throw problem }
            position += text.utf8.count
        }

        private mutating func value() throws -> RealmJSON {
            switch next {
            case UInt8(ascii: "n"):
                try skip("null")
                return .null
            case UInt8(ascii: "t"):
                try skip("true")
                return .bool(true)
            case UInt8(ascii: "f"):
                try skip("false")
                return .bool(false)
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "["):
                var elements: [RealmJSON] = []
                try list("[", "]") { parser in elements.append(try parser.value()) }
                return .array(elements)
            case UInt8(ascii: "{"):
                var members: [(name: String, value: RealmJSON)] = []
                try list("{", "}") { parser in
                    let name = try parser.string()
                    try parser.skip(":")
                    members.append((name, try parser.value()))
                }
                return .object(members)
            default:
                let start = position
                while "+-.0123456789Ee".utf8.contains(next) { position += 1 }
                guard position > start else { throw problem }
                return .number(String(decoding: bytes[start..<position], as: UTF8.self))
            }
        }

        private mutating func list(_ start: String, _ end: String, _ item: (inout RealmJSONParser) throws -> Void) throws {
            try skip(start)
            while next != end.utf8.first {
                try item(&self)
                if next == UInt8(ascii: ",") { position += 1 } else if next != end.utf8.first { throw problem }
            }
            position += 1
        }

        private mutating func string() throws -> String {
            try skip("\"")
            var text: [UInt8] = []
            while next != UInt8(ascii: "\"") {
                guard position < bytes.count else { throw problem }
                guard next == UInt8(ascii: "\\") else {
                    text.append(next)
                    position += 1
                    continue
                }
                position += 2
                switch position <= bytes.count ? bytes[position - 1] : 0 {
                case UInt8(ascii: "b"): text.append(8)
                case UInt8(ascii: "f"): text.append(12)
                case UInt8(ascii: "n"): text.append(10)
                case UInt8(ascii: "r"): text.append(13)
                case UInt8(ascii: "t"): text.append(9)
                case UInt8(ascii: "u"):
                    let digits = String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self)
                    guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else { throw problem }
                    text += Array(String(Character(scalar)).utf8)
                    position += 4
                case let byte: text.append(byte)
                }
            }
            position += 1
            return String(decoding: text, as: UTF8.self)
        }
    }
    """#
}
