import FRPBase
import FRPCore
import FRPGraph
import Testing

@testable import FRPRuntime

/// The heap by itself: what it keeps, what it gives back, and what its structures cost.
struct HeapTests {
  struct Numbers {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }

  @Test func appendingIsAmortisedAndPersistent() throws {
    let heap = Heap(types: TypeTable())
    var list = heap.emptyList
    var kept: [Word] = []
    for index in 0..<1_000_000 {
      list = try heap.append(list, Word(int: index), references: false)
      if index % 100_000 == 0 { kept.append(list) }
    }
    #expect(heap.count(list) == 1_000_000)
    #expect(heap.element(list, 999_999).int == 999_999)
    for (place, old) in kept.enumerated() { #expect(heap.count(old) == place * 100_000 + 1) }
    // Two continuations of one list do not see each other.
    let a = try heap.append(kept[1], Word(int: -1), references: false)
    let b = try heap.append(kept[1], Word(int: -2), references: false)
    #expect(heap.element(a, 100_001).int == -1)
    #expect(heap.element(b, 100_001).int == -2)
    #expect(heap.element(list, 100_001).int == 100_001)
    #expect(heap.usedBytes < 100 << 20)
  }

  @Test func aSmallSliceDoesNotKeepItsBuffer() throws {
    var types = TypeTable()
    let strings = types.list(.string)
    let heap = Heap(types: types)
    var list = heap.emptyList
    for index in 0..<100_000 { list = try heap.append(list, try heap.string("item \(index)"), references: true) }
    var last = try heap.slice(list, from: 99_990, count: 10)
    var overlap = try heap.slice(list, from: 99_985, count: 10)
    let text = { (list: Word) in ListView(list).map { heap.swiftString($0) } }
    let before = text(last)
    heap.collect { visitor in
      visitor.visit(&last)
      visitor.visit(&overlap)
    }
    #expect(heap.liveBytes < 4096)
    #expect(text(last) == before)
    #expect(text(overlap).suffix(5) == before.prefix(5))
    #expect(heap.equal(last, last, type: strings))
    // It still grows.
    last = try heap.append(last, try heap.string("more"), references: true)
    #expect(text(last).last == "more")
    #expect(text(overlap).count == 10)
  }

  @Test func largeAndSmallViewsOfOneBufferSurviveTogether() throws {
    let heap = Heap(types: TypeTable())
    var numbers = Numbers(state: 5)
    for round in 0..<50 {
      var list = heap.emptyList
      for index in 0..<1000 { list = try heap.append(list, Word(int: index), references: false) }
      var views: [Word] = []
      var ranges: [Range<Int>] = []
      for _ in 0..<20 {
        let start = numbers.next(1000)
        let count = numbers.next(round % 2 == 0 ? 1000 - start : min(100, 1000 - start)) + 1
        ranges.append(start..<start + count)
        views.append(try heap.slice(list, from: start, count: count))
      }
      for _ in 0..<2 {
        heap.collect { visitor in for index in views.indices { visitor.visit(&views[index]) } }
        for (view, range) in zip(views, ranges) { #expect(ListView(view).map(\.int) == Array(range)) }
      }
    }
  }

  @Test func largeListsStayInPlace() throws {
    let heap = Heap(types: TypeTable())
    var list = heap.emptyList
    for index in 0..<50_000 { list = try heap.append(list, try heap.string("item \(index)"), references: true) }
    var copy = list
    let place = list.field(0)
    for _ in 0..<3 {
      heap.collect { visitor in
        visitor.visit(&list)
        visitor.visit(&copy)
      }
      #expect(list == copy)
      #expect(list.field(0) == place)
      #expect(heap.swiftString(heap.element(list, 49_999)) == "item 49999")
      list = try heap.append(list, try heap.string("one more"), references: true)
      copy = list
    }
    let held = heap.liveBytes
    list = heap.emptyList
    heap.collect { $0.visit(&list) }
    #expect(held > 50_000 * 8)
    #expect(heap.liveBytes == 0)
  }

  /// Around the sizes at which an object gets a chunk of its own, and at which it stays in it.
  @Test func objectsOfAllSizesSurvive() throws {
    let heap = Heap(types: TypeTable())
    heap.collectAlways = true
    let sizes = [1, 1000, 65_000, 65_508, 65_512, 65_520, 70_000, 262_112, 262_120, 262_128, 262_136, 262_144, 300_000]
    var words: [Word] = []
    for (place, size) in (sizes + sizes.reversed()).enumerated() {
      words.append(try heap.string(String(repeating: place % 2 == 0 ? "a" : "b", count: size)))
    }
    for _ in 0..<3 {
      heap.collect { visitor in for place in words.indices { visitor.visit(&words[place]) } }
      for (place, size) in (sizes + sizes.reversed()).enumerated() {
        let bytes = heap.bytes(words[place])
        #expect(bytes.count == size)
        #expect(bytes.allSatisfy { $0 == (place % 2 == 0 ? 0x61 : 0x62) })
      }
    }
    let full = heap.liveBytes
    words.removeSubrange(5...)
    heap.collect { visitor in for place in words.indices { visitor.visit(&words[place]) } }
    #expect(heap.liveBytes < 300_000 && full > 2_000_000)
  }

  /// What nobody but a word on some stack points to, or into, stays where it is, with all that it refers to; the rest of
  /// its chunk is filled again, and can be read after any number of collections.
  @Test func whatAWordMayPointToStays() throws {
    let heap = Heap(types: TypeTable())
    heap.collectAlways = true
    let memory = Address.allocate(capacity: 3)
    defer { memory.deallocate() }
    var roots: [Word] = []
    for round in 0..<40 {
      for index in 0..<2000 {
        let list = try heap.list([try heap.string("item \(index)"), try heap.string("b")], references: true)
        if index == 1000 { memory[0] = list }
        if index == 1500 { memory[1] = Word(UInt(bitPattern: ListView(list).start + 1)) }
        if index % 500 == 0 { roots.append(list) }
      }
      memory[2] = try heap.string(String(repeating: "x", count: 300_000)) + 1000
      let stays = memory[0]
      #expect(
        heap.collect(pinning: { $0.visit(from: memory, to: memory + 3) }) { visitor in
          for place in roots.indices { visitor.visit(&roots[place]) }
        })
      #expect(heap.swiftString(heap.element(stays, 0)) == "item 1000")
      let inside = UnsafePointer<Word>(bitPattern: UInt(memory[1]))
      #expect(inside.map { heap.swiftString($0[-1]) + heap.swiftString($0[0]) } == "item 1500b")
      #expect((memory[2] - 1000).address[1] == 300_000)
      for (place, root) in roots.enumerated() {
        #expect(heap.swiftString(heap.element(root, 0)) == "item \(place % 4 * 500)", "round \(round)")
      }
      #expect(heap.liveBytes < 1 << 20)
    }
    heap.collect { _ in }
    #expect(heap.usedBytes == 0)
  }

  /// Where the system has no memory for a copy, things stay where they are, and move when it has some again.
  @Test func aCollectionWithoutMemoryLosesNothing() throws {
    let heap = Heap(types: TypeTable())
    heap.collectAlways = true
    var strings: [Word] = []
    var parts: [Word] = []
    var late: [Word] = []
    for index in 0..<20_000 {
      strings.append(try heap.string("item \(index)"))
      if index % 100 == 99 {
        let list = try heap.list(Array(strings.suffix(100)), references: true)
        // Parts of one buffer, one of which is met when the others have moved.
        parts.append(try heap.slice(list, from: 10, count: 10))
        late.append(try heap.list([try heap.slice(list, from: 60, count: 10)], references: true))
      }
    }
    let shown = { (list: Word) in ListView(list).map { heap.swiftString($0) } }
    for isRefused in [true, false, true, true, false] {
      heap.isRefused = isRefused
      heap.collect { visitor in
        for place in parts.indices {
          visitor.visit(&parts[place])
          visitor.visit(&late[place])
        }
      }
      for place in parts.indices {
        #expect(shown(parts[place]) == (0..<10).map { "item \(place * 100 + 10 + $0)" })
        #expect(shown(heap.element(late[place], 0)) == (0..<10).map { "item \(place * 100 + 60 + $0)" })
      }
    }
    #expect(heap.liveBytes < 1 << 20)
  }

  @Test func mapsAgreeWithDictionaries() throws {
    var types = TypeTable()
    let type = types.intern(.map(.int, .string))
    let heap = Heap(types: types)
    let shape = MapShape(heap.shapes, type)
    var numbers = Numbers(state: 1)
    var map = Word.emptyMap
    var model: [Int: String] = [:]
    for step in 0..<20_000 {
      let key = numbers.next(500)
      if numbers.next(3) == 0 {
        map = try heap.mapRemove(map, Word(int: key), shape: shape)
        model[key] = nil
      } else {
        let value = "v\(numbers.next(1000))"
        map = try heap.mapSet(map, Word(int: key), value: try heap.string(value), shape: shape)
        model[key] = value
      }
      if step % 1000 == 0 { heap.collect { $0.visit(&map) } }
    }
    #expect(heap.mapCount(map) == model.count)
    var keys: [Int] = []
    try heap.mapForEach(map) { (key, value) throws(Fault) in
      keys.append(key.int)
      #expect(model[key.int] == heap.swiftString(value))
    }
    #expect(keys == model.keys.sorted())
    for (place, key) in keys.enumerated() { #expect(heap.mapNode(map, at: place).field(0).int == key) }
    #expect(heap.mapValue(map, Word(int: 1000), shape: shape) == nil)
  }

  @Test func replacingInAMapIsSettingWhatIsThere() throws {
    var types = TypeTable()
    let type = types.intern(.map(.int, .string))
    let heap = Heap(types: types)
    let shape = MapShape(heap.shapes, type)
    var numbers = Numbers(state: 3)
    var map = Word.emptyMap
    #expect(try heap.mapReplacing(map, Word(int: 1), value: heap.emptyString, shape: shape) == nil)
    for _ in 0..<3_000 {
      let key = Word(int: numbers.next(300))
      let value = try heap.string("v\(numbers.next(4))")
      let before = map
      let known = heap.mapValue(map, key, shape: shape)
      map = try heap.mapSet(map, key, value: value, shape: shape)
      let replaced = try heap.mapReplacing(before, key, value: value, shape: shape)
      #expect((replaced == nil) == (known == nil))
      if let known, heap.equalStrings(known, value) { #expect(replaced == before) }
      guard let replaced else { continue }
      #expect(heap.equal(replaced, map, type: type))
      #expect(heap.mapValue(before, key, shape: shape).map { heap.equalStrings($0, known ?? 0) } == true)
      map = replaced
      if heap.wantsCollection { heap.collect { $0.visit(&map) } }
    }
    #expect(heap.mapCount(map) == 300)
  }

  @Test func mapUpdatesAreLogarithmic() throws {
    var types = TypeTable()
    let type = types.intern(.map(.int, .int))
    let heap = Heap(types: types)
    let shape = MapShape(heap.shapes, type)
    var map = Word.emptyMap
    for index in 0..<100_000 {
      map = try heap.mapSet(map, Word(int: index), value: Word(int: index * 2), shape: shape)
      if heap.wantsCollection { heap.collect { $0.visit(&map) } }
    }
    // In increasing order, the worst for a tree that does not balance itself.
    let before = heap.usedBytes
    map = try heap.mapSet(map, Word(int: 50_000), value: 1, shape: shape)
    #expect(heap.usedBytes - before < 48 * 40)
    #expect(heap.mapValue(map, Word(int: 50_000), shape: shape) == 1)
    #expect(heap.mapValue(map, Word(int: 99_999), shape: shape)?.int == 199_998)
  }

  @Test func deepDataIsComparedHashedAndCollectedWithoutRecursion() throws {
    var types = TypeTable()
    types.nominalNames.append("Chain")
    let chain = types.intern(.variant(NominalID(NominalID.firstDeclared), []))
    types.setConstructors(
      [
        Constructor(name: "End", labels: nil, fields: []),
        Constructor(name: "Link", labels: nil, fields: [chain, .int]),
      ], of: chain)
    let heap = Heap(types: types)
    func make(_ end: Int) throws -> Word {
      var word = Word(tag: 0)
      for index in 0..<300_000 { word = try heap.construct(chain, tag: 1, word, Word(int: index == 0 ? end : index)) }
      return word
    }
    var a = try make(0)
    var b = try make(0)
    var c = try make(1)
    heap.collect { visitor in
      visitor.visit(&a)
      visitor.visit(&b)
      visitor.visit(&c)
    }
    #expect(heap.equal(a, b, type: chain))
    #expect(!heap.equal(a, c, type: chain))
    #expect(heap.compare(a, c, type: chain) < 0)
    #expect(heap.hash(a, chain) == heap.hash(b, chain))
    #expect(heap.liveBytes == 900_000 * 24)
  }

  @Test func strings() throws {
    let heap = Heap(types: TypeTable())
    let cases = ["", "a", "abcdefgh", "abcdefghi", "naïve", "👨‍👩‍👧", "a\r\nb", "z\0"]
    for left in cases {
      for right in cases {
        let a = try heap.string(left)
        let b = try heap.string(right)
        #expect(heap.equalStrings(a, b) == (Array(left.utf8) == Array(right.utf8)))
        let order = Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8))
        #expect((heap.compareStrings(a, b) < 0) == order)
        let joined = try [a, b].withUnsafeBufferPointer { try heap.concatenate($0.baseAddress!, 2) { _ in } }
        #expect(heap.swiftString(joined) == left + right)
        #expect(heap.characterCount(joined) == (left + right).count)
      }
    }
  }

  @Test func memoryLimitIsAFaultAndLeavesTheHeapUsable() throws {
    let heap = Heap(types: TypeTable(), limitBytes: 8 << 20)
    var list = heap.emptyList
    #expect(throws: Fault.memory) {
      while true { list = try heap.append(list, 1, references: false) }
    }
    #expect(heap.count(list) > 10_000)
    #expect(throws: Fault.memory) { try ListBuilder(heap, references: false, capacity: 1 << 50) }
    list = heap.emptyList
    heap.collect { $0.visit(&list) }
    #expect(heap.usedBytes == 0)
    for _ in 0..<1000 { list = try heap.append(list, 1, references: false) }
    #expect(heap.count(list) == 1000)
  }

  @Test func wideObjectsKeepTheirReferences() throws {
    var types = TypeTable()
    let fields = (0..<70).map { FieldType("f\($0)", $0 % 3 == 0 ? .string : .int) }
    let record = types.intern(.record(fields))
    let heap = Heap(types: types)
    var words: [Word] = []
    for index in 0..<70 { words.append(index % 3 == 0 ? try heap.string("s\(index)") : Word(int: index * 8)) }
    var object = try words.withUnsafeBufferPointer { try heap.construct(record, $0.baseAddress!, 70) }
    heap.collect { $0.visit(&object) }
    for index in 0..<70 {
      if index % 3 == 0 {
        #expect(heap.swiftString(object.field(index)) == "s\(index)")
      } else {
        #expect(object.field(index).int == index * 8)
      }
    }
  }

  /// A fold that updates a map compares each version with the one before: what they share is not looked at.
  @Test func versionsOfALargeMapAreComparedInLogarithmicTime() throws {
    var types = TypeTable()
    let type = types.intern(.map(.int, .int))
    let heap = Heap(types: types)
    let shape = MapShape(heap.shapes, key: .int, value: .int)
    var map = Word.emptyMap
    for index in 0..<100_000 { map = try heap.mapSet(map, Word(int: index), value: 0, shape: shape) }
    var numbers = Numbers(state: 3)
    for round in 1...20_000 {
      let next = try heap.mapSet(map, Word(int: numbers.next(100_000)), value: Word(int: round), shape: shape)
      #expect(!heap.equal(map, next, type: type))
      map = next
    }
    let same = try heap.mapSet(map, 500, value: heap.mapValue(map, 500, shape: shape) ?? 0, shape: shape)
    #expect(heap.equal(map, same, type: type))
    #expect(heap.compare(map, try heap.mapSet(map, 500, value: Word(int: 1 << 40), shape: shape), type: type) < 0)
  }
}

/// Texts and lists that grow: amortised at the end that grows, and values all the same.
struct GrowingTests {
  private func append(_ heap: Heap, _ texts: String...) throws -> Word {
    try concatenate(heap, try texts.map { try heap.string($0) })
  }

  private func concatenate(_ heap: Heap, _ words: [Word]) throws -> Word {
    try heap.concatenate(words, words.count) { (_) throws(Fault) in }
  }

  @Test func appendingToATextIsAmortised() throws {
    let heap = Heap(types: TypeTable())
    let letters = try ["a", "\u{E4}", "bcd", "\0", "\u{1F600}"].map { try heap.string($0) }
    var text = heap.emptyString
    var copied = 0
    for index in 0..<200_000 {
      let pieces = [text, letters[index % 5]]
      text = try heap.concatenate(pieces, 2) { (bytes) throws(Fault) in copied += bytes }
    }
    #expect(heap.byteCount(text) == 200_000 / 5 * 11)
    #expect(heap.swiftString(text) == String(repeating: "a\u{E4}bcd\0\u{1F600}", count: 40_000))
    // Copied some times over, and not once for each that was appended.
    #expect(copied < 20 * heap.byteCount(text), "\(copied)")
  }

  /// Random appends to any text so far, collections between them: each stays what it was, and is equal to, ordered and
  /// hashed as the text made in one piece.
  @Test(arguments: 0..<20) func textsStayWhatTheyAre(seed: Int) throws {
    let heap = Heap(types: TypeTable())
    heap.collectAlways = seed % 2 == 0
    var numbers = HeapTests.Numbers(state: UInt64(seed))
    let pieces = [
      "x", "", "\0", "\u{E9}", "\r", "\n", "twelve bytes", "\u{1F469}\u{200D}\u{1F680}", "1234567", "12345678",
    ]
    var (texts, wanted): ([Word], [String]) = ([], [])
    texts.append(try heap.string(String(repeating: "start ", count: 100)))
    wanted.append(String(repeating: "start ", count: 100))
    for _ in 0..<300 {
      let place = numbers.next(3) == 0 ? numbers.next(texts.count) : texts.count - 1
      let (a, b) = (pieces[numbers.next(pieces.count)], pieces[numbers.next(pieces.count)])
      texts.append(try concatenate(heap, [texts[place], try heap.string(a), try heap.string(b)]))
      wanted.append(wanted[place] + a + b)
      if numbers.next(20) == 0 {
        if numbers.next(2) == 0 { (texts, wanted) = (texts.suffix(5), wanted.suffix(5)) }
        heap.collect { visitor in for index in texts.indices { visitor.visit(&texts[index]) } }
      }
    }
    for (text, string) in zip(texts, wanted) {
      let whole = try heap.string(string)
      #expect(heap.swiftString(text) == string)
      #expect(heap.characterCount(text) == string.count && heap.isASCII(text) == heap.isASCII(whole))
      #expect(heap.equalStrings(text, whole) && heap.equalStrings(whole, text) && heap.compareStrings(text, whole) == 0)
      #expect(heap.hash(text, .string) == heap.hash(whole, .string))
      for (other, otherString) in zip(texts.suffix(20), wanted.suffix(20)) {
        #expect(heap.equalStrings(text, other) == (string.utf8.elementsEqual(otherString.utf8)))
        let isBefore = string.utf8.lexicographicallyPrecedes(otherString.utf8)
        #expect((heap.compareStrings(text, other) < 0) == isBefore)
      }
    }
  }

  @Test func aShortTextDoesNotKeepTheBufferOfALongOne() throws {
    let heap = Heap(types: TypeTable())
    var text = try append(heap, String(repeating: "a", count: 600), "b")
    var short = text
    for _ in 0..<10_000 { text = try concatenate(heap, [text, try heap.string("0123456789")]) }
    heap.collect { visitor in visitor.visit(&short) }
    #expect(heap.liveBytes < 4096)
    #expect(heap.swiftString(short) == String(repeating: "a", count: 600) + "b")
  }

  private func part(_ heap: Heap, _ text: Word, _ range: Range<Int>) throws -> Word {
    try heap.part(text, range) { (_) throws(Fault) in }
  }

  @Test(arguments: ["abcdefgh", "abcde\u{E9}fg", "\u{1F600}\u{1F680}"])
  func takingATextApartIsAmortised(unit: String) throws {
    let heap = Heap(types: TypeTable())
    let whole = String(repeating: unit, count: 20_000)
    let starts = unit.unicodeScalars.reduce(into: [0]) { $0.append($0[$0.count - 1] + UTF8.width($1)) }
    var text = try heap.string(whole)
    let used = heap.usedBytes
    var looked = 0
    for round in 0..<20_000 {
      for place in 1..<starts.count {
        let width = starts[place] - starts[place - 1]
        let range = width..<heap.byteCount(text)
        text = try heap.part(text, range) { (bytes) throws(Fault) in looked += bytes }
      }
      if round % 1_000 == 0 { #expect(heap.swiftString(text) == whole.dropFirst((round + 1) * unit.count)) }
    }
    #expect(heap.byteCount(text) == 0)
    #expect(looked < 3 * whole.utf8.count, "\(looked)")
    #expect(heap.usedBytes - used < 20_000 * unit.unicodeScalars.count * 100)
  }

  /// Random parts of any text so far, and appends to them, collections between: each is equal to, ordered, hashed and flagged as
  /// the text made in one piece.
  @Test(arguments: 0..<20) func partsStayWhatTheyAre(seed: Int) throws {
    let heap = Heap(types: TypeTable())
    heap.collectAlways = seed % 2 == 0
    var numbers = HeapTests.Numbers(state: UInt64(seed))
    let pieces = ["x", "\u{E9}", "\r\n", "twelve bytes", "\u{1F469}\u{200D}\u{1F680}", "1234567", "12345678"]
    let tail = String(repeating: "\u{E4}\r tail", count: seed * 20)
    let start = String(repeating: "start of this text ", count: 200) + tail
    var (texts, wanted) = ([try heap.string(start)], [start])
    for _ in 0..<400 {
      let place = numbers.next(3) == 0 ? numbers.next(texts.count) : texts.count - 1
      if numbers.next(3) == 0 || wanted[place].isEmpty {
        let piece = pieces[numbers.next(pieces.count)]
        texts.append(try concatenate(heap, [texts[place], try heap.string(piece)]))
        wanted.append(wanted[place] + piece)
      } else {
        let scalars = Array(wanted[place].unicodeScalars)
        let isSmall = numbers.next(10) == 0
        let low = numbers.next(isSmall ? scalars.count : min(20, scalars.count))
        let high = isSmall ? low + numbers.next(scalars.count - low) : max(low, scalars.count - numbers.next(20))
        let from = scalars[..<low].reduce(0) { $0 + UTF8.width($1) }
        let size = scalars[low..<high].reduce(0) { $0 + UTF8.width($1) }
        texts.append(try part(heap, texts[place], from..<from + size))
        var string = ""
        string.unicodeScalars.append(contentsOf: scalars[low..<high])
        wanted.append(string)
      }
      if numbers.next(20) == 0 {
        if numbers.next(2) == 0 { (texts, wanted) = (texts.suffix(5), wanted.suffix(5)) }
        heap.collect { visitor in for index in texts.indices { visitor.visit(&texts[index]) } }
      }
    }
    for (text, string) in zip(texts, wanted) {
      let whole = try heap.string(string)
      #expect(heap.swiftString(text).utf8.elementsEqual(string.utf8))
      #expect(heap.characterCount(text) == string.count && heap.isASCII(text) == heap.isASCII(whole))
      #expect(heap.equalStrings(text, whole) && heap.compareStrings(whole, text) == 0)
      #expect(heap.hash(text, .string) == heap.hash(whole, .string))
      for (other, otherString) in zip(texts.suffix(20), wanted.suffix(20)) {
        #expect(heap.equalStrings(text, other) == string.utf8.elementsEqual(otherString.utf8))
        let isBefore = string.utf8.lexicographicallyPrecedes(otherString.utf8)
        #expect((heap.compareStrings(text, other) < 0) == isBefore)
      }
    }
  }

  /// A part keeps at most four times its own bytes, be it of a text in one piece or of one that has grown.
  @Test(arguments: [false, true]) func aSmallPartDoesNotKeepALongText(hasGrown: Bool) throws {
    let heap = Heap(types: TypeTable())
    let long = String(repeating: "0123456789", count: 10_000)
    let text = hasGrown ? try append(heap, long, "\u{E9}") : try heap.string(long)
    var small = try part(heap, try part(heap, text, 40_000..<100_000), 1_003..<2_003)
    heap.collect { visitor in visitor.visit(&small) }
    #expect(heap.liveBytes < 4_200)
    let shown = String(long.dropFirst(41_003).prefix(1_000))
    #expect(heap.swiftString(small) == shown && heap.isASCII(small))
    // It grows as others do.
    let longer = try concatenate(heap, [small, try heap.string("\u{E9}x")])
    #expect(heap.swiftString(longer) == shown + "\u{E9}x" && !heap.isASCII(longer) && heap.swiftString(small) == shown)
  }

  @Test func puttingBeforeAListIsAmortised() throws {
    var types = TypeTable()
    let lists = types.list(.int)
    let heap = Heap(types: types)
    var list = heap.emptyList
    var (copied, paid) = (0, 0)
    func before(_ number: Int, _ list: Word) throws -> Word {
      let head = try heap.list([Word(int: number)], references: false)
      return try heap.append(head, list: list, references: false) { (words) throws(Fault) in copied += words }
    }
    for index in 0..<100_000 {
      let longer = try before(index, list)
      if longer.field(0) != list.field(0) { paid += heap.count(list) }
      list = longer
    }
    #expect(ListView(list).elementsEqual((0..<100_000).reversed().map { Word(int: $0) }))
    #expect(paid < 1_000_000, "\(paid)")
    // Only what is shorter than 64 words is copied each time.
    #expect(copied < 110_000, "\(copied)")
    // Two continuations of one list do not see each other, and a list that grew at its start grows at its end.
    let (a, b) = (try before(-1, list), try before(-2, list))
    let c = try heap.append(list, Word(int: -3), references: false)
    #expect(heap.element(a, 0).int == -1 && heap.element(b, 0).int == -2 && heap.element(c, 100_000).int == -3)
    #expect(heap.element(try before(-4, c), 100_001).int == -3)
    #expect(heap.equal(try heap.slice(a, from: 1, count: 100_000), list, type: lists))
  }

  /// Random lists of texts that grow at both ends, collections between.
  @Test(arguments: 0..<20) func listsStayWhatTheyAre(seed: Int) throws {
    let heap = Heap(types: TypeTable())
    heap.collectAlways = seed % 2 == 0
    var numbers = HeapTests.Numbers(state: UInt64(seed))
    var (lists, wanted): ([Word], [[String]]) = ([], [])
    lists.append(try heap.list(try (0..<70).map { try heap.string("\($0)") }, references: true))
    wanted.append((0..<70).map { "\($0)" })
    for step in 0..<400 {
      let place = numbers.next(3) == 0 ? numbers.next(lists.count) : lists.count - 1
      let more = (0..<1 + numbers.next(3)).map { "\(step).\($0)" }
      let new = try heap.list(try more.map { try heap.string($0) }, references: true)
      let atStart = numbers.next(3) > 0
      let (first, second) = atStart ? (new, lists[place]) : (lists[place], new)
      lists.append(try heap.append(first, list: second, references: true) { (_) throws(Fault) in })
      wanted.append(atStart ? more + wanted[place] : wanted[place] + more)
      if numbers.next(20) == 0 {
        if numbers.next(2) == 0 { (lists, wanted) = (lists.suffix(5), wanted.suffix(5)) }
        heap.collect { visitor in for index in lists.indices { visitor.visit(&lists[index]) } }
      }
    }
    for (list, strings) in zip(lists, wanted) { #expect(ListView(list).map { heap.swiftString($0) } == strings) }
  }
}
