// The order in which an instant visits the entries of one template.

/// A topological order of `0..<count`, depth first, then by number; nil and the members of a cycle if there is none.
///
/// `dependencies[i]` lists what must come before i. Without recursion: chains may be long.
func topologicalOrder(_ dependencies: [[Int32]], among members: [Int32]) -> (order: [Int32], cycle: [Int32]?) {
  var state = [UInt8](repeating: 0, count: dependencies.count)  // 0 unseen, 1 on the path, 2 done
  var isMember = [Bool](repeating: false, count: dependencies.count)
  for member in members { isMember[Int(member)] = true }
  var order: [Int32] = []
  var path: [(entry: Int32, next: Int)] = []
  for root in members where state[Int(root)] == 0 {
    state[Int(root)] = 1
    path.append((root, 0))
    while let (entry, next) = path.last {
      let list = dependencies[Int(entry)]
      if next < list.count {
        path[path.count - 1].next += 1
        let dependency = list[next]
        guard isMember[Int(dependency)] else { continue }
        if state[Int(dependency)] == 1 {
          let start = path.firstIndex { $0.entry == dependency } ?? 0
          return (order, path[start...].map(\.entry))
        }
        if state[Int(dependency)] == 0 {
          state[Int(dependency)] = 1
          path.append((dependency, 0))
        }
      } else {
        state[Int(entry)] = 2
        order.append(entry)
        path.removeLast()
      }
    }
  }
  return (order, nil)
}

/// Everything that `roots` need, themselves included.
func closure(_ roots: [Int32], _ dependencies: [[Int32]]) -> [Bool] {
  var needed = [Bool](repeating: false, count: dependencies.count)
  var pending: [Int32] = []
  for root in roots where !needed[Int(root)] {
    needed[Int(root)] = true
    pending.append(root)
  }
  while let entry = pending.popLast() {
    for dependency in dependencies[Int(entry)] where !needed[Int(dependency)] {
      needed[Int(dependency)] = true
      pending.append(dependency)
    }
  }
  return needed
}
