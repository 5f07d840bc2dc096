import FRPCore
import FRPGraph

struct TaskRunTable {}

extension Reactor {
  func firePerform(_ frame: FrameRef, _ index: Int, _ entry: EntryRef, _ state: Address) throws(Fault) {}
  func fireTask(_ frame: FrameRef, _ index: Int, _ tag: Int32) throws(Fault) {}
  func runPerformFeed(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {}
  func runBusy(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) {}
  func releaseTasks(_ frame: FrameRef, _ state: Address) {}
  func undoTasks() {}
  func commitTasks() {}
  func visitTasks(_ visitor: borrowing RootVisitor) {}
}
