// The programs that one server shows: one, or those of a lesson.
//
// Rules
// - A program of a lesson begins when somebody looks at it first, and goes on while others are looked at.
// - So many run at once: beyond that the one that nobody has looked at for longest rests. What was written stays; its
//   run begins again when somebody looks.

import FRPBase

final class PageRooms {
  /// What the programs stand in; nil where there is one alone.
  let lesson: Lesson?
  private let make: (_ text: String, _ number: Int) throws -> PageRoom
  private var rooms: [Int: PageRoom] = [:]
  /// What is written in programs that rest.
  private var resting: [Int: String] = [:]

  static let most = 16

  init(_ room: PageRoom) {
    (lesson, make) = (nil, { _, _ in room })
    rooms[0] = room
  }

  init(_ lesson: Lesson, make: @escaping (_ text: String, _ number: Int) throws -> PageRoom) {
    (self.lesson, self.make) = (lesson, make)
  }

  /// Those that run.
  var open: some Collection<PageRoom> { rooms.values }

  /// A program by its number; nil where there is none, or too many are looked at.
  func room(_ number: Int) -> PageRoom? {
    if let room = rooms[number] { return room }
    guard let programs = lesson?.programs, programs.indices.contains(number), makeRoom() else { return nil }
    let made = try? make(resting[number] ?? programs[number], number)
    resting[number] = nil
    rooms[number] = made
    return made
  }

  /// Lets one rest where there is no place for another.
  private func makeRoom() -> Bool {
    if rooms.count < Self.most { return true }
    let unseen = rooms.filter { $0.value.isEmpty }.min { $0.value.wasSeen < $1.value.wasSeen }
    guard let (number, room) = unseen else { return false }
    resting[number] = room.page.text.text
    rooms[number] = nil
    return true
  }
}
