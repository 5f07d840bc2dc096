// Objects of a heap as a list of words without addresses, and back. Sharing is kept: an object that is mentioned twice
// is written once. No recursion: values may be deep.
//
// In the list an object is its header, without the mark of permanence, and its payload. Counts of Characters that the
// heap caches are forgotten, and so is the room that buffers have for growth. A cell that keeps a fault names it by its
// place in the image's own list.

import FRPCore
import FRPGraph

/// Writes objects of a heap.
struct ObjectWriter {
  private var numbers: [Address: Int] = [:]
  private var order: [Address] = []
  private(set) var words: [Word] = []
  private var written = 0
  private let cells: FaultCells
  /// The faults that cells keep, in the order in which these are written.
  private(set) var faults: [Fault] = []
  private var places: [Word: Int] = [:]

  init(_ cells: FaultCells) { self.cells = cells }

  var count: Int { order.count }

  /// A word of a reference type, for an image.
  mutating func reference(_ word: Word) -> Word {
    if !word.isObject { return word }
    let address = word.address
    if let number = numbers[address] { return UInt64(number + 1) * 8 }
    numbers[address] = order.count
    order.append(address)
    return UInt64(order.count) * 8
  }

  /// Writes every object that has been mentioned, and those that these mention.
  mutating func finish() {
    while written < order.count {
      write(order[written])
      written += 1
    }
  }

  private mutating func write(_ object: Address) {
    let header = Header(bits: object[0] & ~Header.permanent)
    switch header.kind {
    case ObjectKind.string.rawValue: writeText(object, header)
    case ObjectKind.fields.rawValue:
      words.append(header.bits)
      if header.bits & Header.faultCell != 0 { return words += [object[1], fault(object[2])] }
      for index in 0..<header.fieldCount {
        words.append(header.mask >> UInt64(index) & 1 != 0 ? reference(object[1 + index]) : object[1 + index])
      }
    case ObjectKind.wideFields.rawValue: writeWide(object, header)
    case ObjectKind.list.rawValue:
      words += [header.bits, reference(object[1]), object[2], object[3]]
    case ObjectKind.references.rawValue, ObjectKind.words.rawValue:
      let kind: ObjectKind = header.kind == ObjectKind.words.rawValue ? .words : .references
      let used = Int(object[1])
      words += [Header.other(kind, payload: used + 1).bits, object[1]]
      for index in 0..<used { words.append(kind == .words ? object[2 + index] : reference(object[2 + index])) }
    case ObjectKind.mapNode.rawValue:
      words.append(header.bits)
      words.append(header.bits & Header.flagA != 0 ? reference(object[1]) : object[1])
      words.append(header.bits & Header.flagB != 0 ? reference(object[2]) : object[2])
      words += [reference(object[3]), reference(object[4]), object[5]]
    default:
      words.append(header.bits)
      for index in 0..<header.payloadCount { words.append(object[1 + index]) }
    }
  }

  /// A text, without the room in which it grows.
  private mutating func writeText(_ object: Address, _ header: Header) {
    let (text, isASCII) = (TextWords(Word(object)), header.bits & Header.flagA != 0)
    let flat = Header.other(.string, payload: 2 + text.count, flags: isASCII ? Header.flagA : 0)
    words += [flat.bits, UInt64(text.bytes), isASCII ? UInt64(text.bytes) : Heap.unknownCount]
    for index in 0..<text.count { words.append(text[index]) }
  }

  private mutating func fault(_ place: Word) -> Word {
    if let known = places[place] { return Word(int: known) }
    places[place] = faults.count
    faults.append(cells.fault(place))
    return Word(int: faults.count - 1)
  }

  private mutating func writeWide(_ object: Address, _ header: Header) {
    let count = header.fieldCount
    words.append(header.bits)
    for index in 0..<count {
      let isReference = object[1 + count + index >> 6] >> UInt64(index & 63) & 1 != 0
      words.append(isReference ? reference(object[1 + index]) : object[1 + index])
    }
    for index in count..<header.payloadCount { words.append(object[1 + index]) }
  }
}

/// What is wrong with an image.
public enum ImageProblem: Error, Sendable {
  /// The bytes are no image, or what they say cannot be.
  case damaged
  /// It was made by another version.
  case version(UInt64)
  /// It belongs to another program.
  case otherProgram
}

/// Makes the objects of an image in a heap. Valid until the heap is collected.
struct ObjectReader {
  private var objects: [Word] = []

  /// The image must be well formed.
  init(_ image: StateImage, _ machine: Machine) throws(Fault) {
    let heap = machine.heap
    var at = 0
    while at < image.objects.count {
      let size = Header(bits: image.objects[at]).payloadCount + 1
      let object = try heap.allocate(size)
      // It is readable at once, since what follows may fault.
      object[0] = Header.other(.bytes, payload: size - 1).bits
      objects.append(Word(object))
      at += size
    }
    at = 0
    for object in objects {
      let header = Header(bits: image.objects[at])
      let size = header.payloadCount + 1
      for index in 0..<size { object.address[index] = image.objects[at + index] }
      link(object.address)
      if header.kind == ObjectKind.fields.rawValue, header.bits & Header.faultCell != 0 {
        object.address[2] = try machine.cells.place(of: image.faults[image.objects[at + 2].int])
      }
      at += size
    }
  }

  /// The object of a number.
  subscript(number: Int) -> Word { objects[number] }

  /// Whether the keys of maps are in order, which only the heap can compare.
  func areInOrder(_ nodes: [(number: Int, type: TypeID)], _ heap: Heap) -> Bool {
    nodes.allSatisfy { number, type in
      let (node, key) = (objects[number], heap.shapes[type].first)
      let (left, right) = (node.field(2), node.field(3))
      if left.isObject {
        let last = heap.mapNode(left, at: heap.mapCount(left) - 1)
        if heap.compare(last.field(0), node.field(0), type: key) >= 0 { return false }
      }
      if right.isObject, heap.compare(node.field(0), heap.mapNode(right, at: 0).field(0), type: key) >= 0 {
        return false
      }
      return true
    }
  }

  /// A word of a reference type, from an image.
  func reference(_ word: Word) -> Word {
    if !word.isObject { return word }
    let number = Int(word / 8) - 1
    return objects.indices.contains(number) ? objects[number] : .none
  }

  private func link(_ object: Address) {
    let header = Header(bits: object[0])
    switch header.kind {
    case ObjectKind.fields.rawValue:
      for index in 0..<header.fieldCount where header.mask >> UInt64(index) & 1 != 0 { link(object + 1 + index, ()) }
    case ObjectKind.wideFields.rawValue:
      let count = header.fieldCount
      for index in 0..<count where object[1 + count + index >> 6] >> UInt64(index & 63) & 1 != 0 {
        link(object + 1 + index, ())
      }
    case ObjectKind.list.rawValue: link(object + 1, ())
    case ObjectKind.references.rawValue:
      for index in 0..<max(0, header.payloadCount - 1) { link(object + 2 + index, ()) }
    case ObjectKind.mapNode.rawValue:
      if header.bits & Header.flagA != 0 { link(object + 1, ()) }
      if header.bits & Header.flagB != 0 { link(object + 2, ()) }
      link(object + 3, ())
      link(object + 4, ())
    default: break
    }
  }

  private func link(_ slot: Address, _: Void) { slot.pointee = reference(slot.pointee) }
}
