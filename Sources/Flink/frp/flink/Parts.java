package frp.flink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Runs the program, a run for each part of the keys: a part is what Flink calls a key group, so that it moves as a whole when
 * the parallelism changes. Runs stay live between checkpoints; at a barrier those that did something are saved into keyed
 * state. What comes out is lines of JSON, several a record.
 */
final class Parts extends AbstractStreamOperator<byte[]>
    implements OneInputStreamOperator<Tuple3<Integer, Integer, byte[]>, byte[]> {
  private static final long serialVersionUID = 1;
  private static final String STATE = "part";

  private static final class Part {
    long handle;

    /** When the last line of a source that has ended happened. */
    long end;

    boolean isChanged, isOver;
  }

  private final JobText job;

  /** The text, what time 0 is, when the last line was, and the part. */
  private transient ValueState<Tuple4<byte[], String, Long, byte[]>> state;
  private transient Map<Integer, Part> parts;
  private transient byte[] inputs;
  private transient long program;
  private transient boolean[] happened;

  Parts(JobText job) {
    this.job = job;
  }

  private static ValueStateDescriptor<Tuple4<byte[], String, Long, byte[]>> descriptor() {
    var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
    return new ValueStateDescriptor<>(STATE, new TupleTypeInfo<>(bytes, Types.STRING, Types.LONG, bytes));
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state = context.getKeyedStateStore().getState(descriptor());
    parts = new HashMap<>();
    happened = new boolean[1];
    inputs = job.inputNames();
    program = Native.compile(job.name.getBytes(StandardCharsets.UTF_8), job.text);
    restore();
  }

  /** All parts at once, for each may have something to do before a line comes for it. */
  private void restore() throws Exception {
    List<Integer> keys = new ArrayList<>();
    try (Stream<Integer> all = this.<Integer>getKeyedStateBackend().getKeys(STATE, VoidNamespace.INSTANCE)) {
      all.forEach(keys::add);
    }
    long old = 0;
    byte[] oldText = job.text;
    for (int key : keys) {
      setCurrentKey(key);
      Tuple4<byte[], String, Long, byte[]> saved = state.value();
      if (!Arrays.equals(saved.f0, oldText)) {
        oldText = saved.f0;
        if (old != 0) Native.forget(old);
        old = Arrays.equals(oldText, job.text) ? 0 : Native.compile(bytes("the program before"), oldText);
      }
      if (!saved.f1.equals(job.from())) {
        throw new IllegalStateException("the state counts from " + saved.f1 + ", and --from says " + job.from());
      }
      Part part = new Part();
      part.end = saved.f2;
      part.handle = Native.restore(old == 0 ? program : old, old == 0 ? 0 : program, inputs, job.seed, saved.f3);
      if (old != 0 && parts.isEmpty()) {
        LOG.info("the program has changed: {}", new String(Native.message(part.handle), StandardCharsets.UTF_8));
      }
      part.isChanged = old != 0;
      parts.put(key, part);
    }
    if (old != 0) Native.forget(old);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void processElement(StreamRecord<Tuple3<Integer, Integer, byte[]>> record) {
    Tuple3<Integer, Integer, byte[]> block = record.getValue();
    Part part = parts.get(block.f0);
    if (part == null) {
      part = new Part();
      part.handle = Native.open(program, inputs, job.epoch(), job.seed);
      parts.put(block.f0, part);
    }
    part.isChanged = true;
    if (block.f1 == Stamp.END) {
      part.end = Math.max(part.end, ByteBuffer.wrap(block.f2).order(ByteOrder.nativeOrder()).getLong());
    } else {
      Native.add(part.handle, block.f1, block.f2);
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    boolean isLast = mark.getTimestamp() == Long.MAX_VALUE;
    long time = Math.min(mark.getTimestamp(), job.end);
    for (Part part : parts.values()) {
      if (part.isOver) continue;
      byte[] lines;
      if (isLast) {
        lines = Native.finish(part.handle, job.end == Long.MAX_VALUE ? part.end : job.end);
        part.isOver = part.isChanged = true;
      } else {
        lines = Native.release(part.handle, time, happened);
        part.isChanged |= happened[0];
      }
      if (lines != null) output.collect(new StreamRecord<>(lines));
    }
    super.processWatermark(mark);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    for (Map.Entry<Integer, Part> entry : parts.entrySet()) {
      Part part = entry.getValue();
      if (!part.isChanged) continue;
      setCurrentKey(entry.getKey());
      state.update(Tuple4.of(job.text, job.from(), part.end, Native.save(part.handle)));
      part.isChanged = false;
    }
  }

  @Override
  public void close() throws Exception {
    if (parts != null) {
      long[] sums = new long[3];
      for (Part part : parts.values()) {
        long[] counts = Native.counts(part.handle);
        for (int i = 0; i < 3; i++) sums[i] += counts[i];
        Native.close(part.handle);
      }
      parts = null;
      Native.forget(program);
      LOG.info("lines taken {}, of another type than the input's {}, faults {}", sums[0], sums[1], sums[2]);
    }
    super.close();
  }
}
