extension SwiftDataModels {
  /// The part of the file that is the same for all realms.
  static let importer = #"""
    /// A model that the importer fills.
    protocol ImportedModel: PersistentModel {
        /// The member of Realm JSON that identifies an object.
        static var identityMember: String { get }
        init()
        func fill(from object: RealmJSON, _ importer: RealmImporter) throws
        func link(from object: RealmJSON, _ importer: RealmImporter) throws
        /// Sets the place of an embedded object in its owner.
        func setPlace(position: Int, key: String?)
    }

    extension ImportedModel {
        func setPlace(position: Int, key: String?) {}
    }

    /// Reads the file of `realm-cli export --format ndjson` into a SwiftData store, in two passes: first all objects,
    /// then their links.
    ///
    ///     let importer = RealmImporter(ModelContext(container))
    ///     try importer.run(URL(filePath: "people.ndjson"))
    final class RealmImporter {
        /// Number of objects between two saves.
        private let batch = 1000
        private let context: ModelContext
        /// The objects, by class and identity.
        private var identifiers: [String: [String: PersistentIdentifier]] = [:]
        /// Names of the models' classes in the realm.
        private var names: [ObjectIdentifier: String] = [:]
        /// Number of objects of each class.
        private(set) var counts: [String: Int] = [:]

        init(_ context: ModelContext) {
            self.context = context
            context.autosaveEnabled = false
        }

        func run(_ file: URL) throws {
            var isComplete = false
            try forEachLine(of: file) { line in
                if line.has("counts") {
                    isComplete = true
                    for (name, count) in try line["counts"].dictionary() where counts[name, default: 0] != (try count.int()) {
                        throw RealmJSONError("\(name) has \(counts[name, default: 0]) objects instead of \(try count.int())")
                    }
                }
                guard line.has("object") else { return }
                let (name, object) = (try line["class"].string(), line["object"])
                guard let model = RealmImporter.make(name) else { return }
                try fill(model, name, object)
                counts[name, default: 0] += 1
            }
            guard isComplete else { throw RealmJSONError("the file has no last line with counts: it is incomplete") }
            try context.save()
            try forEachLine(of: file) { line in
                guard line.has("object") else { return }
                let (name, object) = (try line["class"].string(), line["object"])
                try model(name, object)?.link(from: object, self)
            }
            try context.save()
        }

        private func fill<Model: ImportedModel>(_ model: Model, _ name: String, _ object: RealmJSON) throws {
            try model.fill(from: object, self)
            context.insert(model)
            names[ObjectIdentifier(Model.self)] = name
            identifiers[name, default: [:]][object[Model.identityMember].text] = model.persistentModelID
        }

        /// The object of a class that was filled from `object`.
        private func model(_ name: String, _ object: RealmJSON) throws -> (any ImportedModel)? {
            guard let kind = RealmImporter.make(name) else { return nil }
            return found(type(of: kind).identityMember, name, object)
        }

        private func found(_ member: String, _ name: String, _ object: RealmJSON) -> (any ImportedModel)? {
            identifiers[name]?[object[member].text].flatMap { context.model(for: $0) as? any ImportedModel }
        }

        private func forEachLine(of file: URL, _ body: (RealmJSON) throws -> Void) throws {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            var (rest, count) = (Data(), 0)
            while let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty {
                rest.append(bytes)
                while let end = rest.firstIndex(of: 0x0A) {
                    try body(RealmJSONParser.parse(Array(rest[rest.startIndex..<end])))
                    rest = rest[(end + 1)...]
                    count += 1
                    if count % batch == 0 { try context.save() }
                }
                rest = Data(rest)
            }
            if !rest.isEmpty { try body(RealmJSONParser.parse(Array(rest))) }
        }

        // MARK: Parts of objects

        func embedded<Model: ImportedModel>(_: Model.Type, _ value: RealmJSON) throws -> Model? {
            guard !value.isNull else { return nil }
            let model = Model()
            context.insert(model)
            try model.fill(from: value, self)
            return model
        }

        func embeddedElements<Model: ImportedModel>(_: Model.Type, _ value: RealmJSON) throws -> [Model] {
            try value.array().enumerated().compactMap { position, element in
                let model = try embedded(Model.self, element)
                model?.setPlace(position: position, key: nil)
                return model
            }
        }

        func embeddedEntries<Model: ImportedModel>(_: Model.Type, _ value: RealmJSON) throws -> [Model] {
            try value.dictionary().compactMap { key, element in
                let model = try embedded(Model.self, element)
                model?.setPlace(position: 0, key: key)
                return model
            }
        }

        /// The target of a link; nil for no link, and for one to an object that does not exist.
        func object<Model: ImportedModel>(_: Model.Type, _ link: RealmJSON) throws -> Model? {
            guard let identity = try link.identity() else { return nil }
            guard let name = names[ObjectIdentifier(Model.self)],
                let identifier = identifiers[name]?[identity.text]
            else { return nil }
            return context.model(for: identifier) as? Model
        }

        /// The targets of a list or set, each once, and the identities of all in their order.
        func objects<Model: ImportedModel, Identity>(
            _: Model.Type, _ list: RealmJSON, _ read: (RealmJSON) throws -> Identity
        ) throws -> (objects: [Model], order: [Identity]) {
            var (objects, order, known): ([Model], [Identity], Set<String>) = ([], [], [])
            for link in try list.array() {
                guard let identity = try link.identity(), let object = try object(Model.self, link) else { continue }
                order.append(try read(identity))
                if known.insert(identity.text).inserted { objects.append(object) }
            }
            return (objects, order)
        }

        /// The targets of a dictionary, each once, and the identity for each key.
        func entries<Model: ImportedModel, Identity>(
            _: Model.Type, _ dictionary: RealmJSON, _ read: (RealmJSON) throws -> Identity
        ) throws -> (objects: [Model], keys: [String: Identity?]) {
            var (objects, keys, known): ([Model], [String: Identity?], Set<String>) = ([], [:], [])
            for (key, link) in try dictionary.dictionary() {
                guard let identity = try link.identity(), let object = try object(Model.self, link) else {
                    keys.updateValue(nil, forKey: key)
                    continue
                }
                keys.updateValue(try read(identity), forKey: key)
                if known.insert(identity.text).inserted { objects.append(object) }
            }
            return (objects, keys)
        }
    }
    """#
}
