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
      if header.kind == ObjectKind.string.rawValue, header.bits & Header.flagA == 0 {
        words[words.count - header.payloadCount + 1] = Heap.unknownCount
      }
    }
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
  /// The bytes are no image, or damaged.
  case damaged
  /// It was made by another version.
  case version(UInt64)
  /// It belongs to another program.
  case otherProgram
}

/// Makes the objects of an image in a heap. Valid until the heap is collected.
struct ObjectReader {
  private var objects: [Word] = []

  init(_ image: StateImage, _ machine: Machine) throws(Fault) {
    let heap = machine.heap
    var at = 0
    while at < image.objects.count {
      let header = Header(bits: image.objects[at])
      let size = header.payloadCount + 1
      guard size > 0, size <= image.objects.count - at else { break }
      objects.append(Word(try heap.allocate(size)))
      at += size
    }
    at = 0
    for object in objects {
      let size = Header(bits: image.objects[at]).payloadCount + 1
      for index in 0..<size { object.address[index] = image.objects[at + index] }
      link(object.address)
      if image.isFaultCell(at) {
        object.address[2] = try machine.cells.place(of: image.faults[image.objects[at + 2].int])
      }
      at += size
    }
  }

  /// A word of a reference type, from an image.
  func reference(_ word: Word) -> Word {
    if !word.isObject { return word }
    let number = Int(word / 8) - 1
    return number < objects.count ? objects[number] : .none
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

extension StateImage {
  /// Whether the list of objects is one: what is read from outside is looked at before anything is made of it.
  var isSound: Bool {
    var at = 0
    var number = 0
    var kinds: [UInt64] = []
    while at < objects.count {
      let header = Header(bits: objects[at])
      let payload = header.payloadCount
      guard !header.isForwarded, payload >= 0, payload < objects.count - at else { return false }
      kinds.append(header.kind)
      at += payload + 1
      number += 1
    }
    guard number == objectCount else { return false }
    at = 0
    for kind in kinds {
      let header = Header(bits: objects[at])
      if !isSound(at, header, kinds) || kind > ObjectKind.bytes.rawValue { return false }
      at += header.payloadCount + 1
    }
    return true
  }

  /// Whether the object at a place is a cell that keeps a fault.
  fileprivate func isFaultCell(_ at: Int) -> Bool {
    Header(bits: objects[at]).kind == ObjectKind.fields.rawValue && objects[at] & Header.faultCell != 0
  }

  private func isReference(_ word: Word) -> Bool { !word.isObject || word / 8 <= UInt64(objectCount) && word % 8 == 0 }

  private func isSound(_ at: Int, _ header: Header, _ kinds: [UInt64]) -> Bool {
    switch header.kind {
    case ObjectKind.fields.rawValue:
      if isFaultCell(at) {
        return header.fieldCount == 2 && header.mask == 0 && objects[at + 2] < UInt64(faults.count)
      }
      for index in 0..<header.fieldCount where header.mask >> UInt64(index) & 1 != 0 {
        if !isReference(objects[at + 1 + index]) { return false }
      }
      return true
    case ObjectKind.wideFields.rawValue:
      let count = header.fieldCount
      for index in 0..<count where objects[at + 1 + count + index >> 6] >> UInt64(index & 63) & 1 != 0 {
        if !isReference(objects[at + 1 + index]) { return false }
      }
      return true
    case ObjectKind.list.rawValue:
      let buffer = objects[at + 1]
      guard header.payloadCount == 3, buffer.isObject, isReference(buffer) else { return false }
      let kind = kinds[Int(buffer / 8) - 1]
      return kind == ObjectKind.words.rawValue || kind == ObjectKind.references.rawValue
    case ObjectKind.words.rawValue:
      return header.payloadCount >= 1 && objects[at + 1] == UInt64(header.payloadCount - 1)
    case ObjectKind.references.rawValue:
      guard header.payloadCount >= 1, objects[at + 1] == UInt64(header.payloadCount - 1) else { return false }
      return (1..<header.payloadCount).allSatisfy { isReference(objects[at + 1 + $0]) }
    case ObjectKind.mapNode.rawValue:
      return header.payloadCount == 5 && isReference(objects[at + 3]) && isReference(objects[at + 4])
    case ObjectKind.string.rawValue:
      return header.payloadCount >= 2 && objects[at + 1] <= UInt64(header.payloadCount - 2) * 8
    default: return true
    }
  }
}
