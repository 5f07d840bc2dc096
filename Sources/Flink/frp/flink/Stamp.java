package frp.flink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Reads the key and the time of each line of one source, in the order in which they come, and hands lines on in blocks: a block
 * for a part. What lies behind the greatest time by more than {@code late} is dropped here, as {@code frp run} does, so that
 * nothing is late further down. Watermarks are in nanoseconds since time 0.
 *
 * <p>Parallelism 1, for the order of a source is the order of its lines.
 */
final class Stamp extends AbstractStreamOperator<Tuple3<Integer, Integer, byte[]>>
    implements OneInputStreamOperator<byte[], Tuple3<Integer, Integer, byte[]>> {
  private static final long serialVersionUID = 1;

  /** The source of a block that says when the last line of one happened: its run ends then. */
  static final int END = -1;

  private static final int BLOCK = 1 << 14;
  private static final long NONE = Long.MIN_VALUE;

  private final JobText job;
  private final int source;
  private final int[] parts;

  private transient byte[][] key, time, timeWhole;
  private transient char keyType;
  private transient Fields fields;
  private transient ByteBuffer[] blocks;
  private transient ListState<Long> kept;
  private transient Counter skipped;
  private transient long greatest, said;
  private transient int warnings;

  /** {@code parts} are the keys of the parts, for Flink. */
  Stamp(JobText job, int source, int[] parts) {
    this.job = job;
    this.source = source;
    this.parts = parts;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    kept = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("greatest", Types.LONG));
    greatest = NONE;
    for (long time : kept.get()) greatest = Math.max(greatest, time);
  }

  @Override
  public void open() throws Exception {
    super.open();
    JobText.Input input = job.inputs.get(source);
    key = new byte[][] {bytes(input.key)};
    keyType = input.keyType.charAt(0);
    timeWhole = new byte[][] {bytes(input.time)};
    String[] steps = input.time.split("\\.", -1);
    time = new byte[steps.length][];
    for (int i = 0; i < steps.length; i++) time[i] = bytes(steps[i]);
    fields = new Fields();
    blocks = new ByteBuffer[parts.length];
    said = NONE;
    skipped = getMetricGroup().counter("skippedLines");
    getProcessingTimeService().scheduleWithFixedDelay(now -> flush(), 100, 100);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void processElement(StreamRecord<byte[]> record) {
    byte[] piece = record.getValue();
    int start = 0;
    for (int at = 0; at < piece.length; at++) {
      if (piece[at] == '\n') {
        take(piece, start, at);
        start = at + 1;
      }
    }
    if (start < piece.length) take(piece, start, piece.length);
  }

  private void take(byte[] piece, int start, int end) {
    if (end > start && piece[end - 1] == '\r') end--;
    boolean isEmpty = true;
    for (int at = start; isEmpty && at < end; at++) isEmpty = piece[at] == ' ' || piece[at] == '\t';
    if (isEmpty) return;
    if (!fields.find(piece, start, end, timeWhole) && (time.length == 1 || !fields.find(piece, start, end, time))) {
      skip("it has no time", piece, start, end);
      return;
    }
    if (!fields.moment(job.inputs.get(source).fraction)) {
      skip("its time is not understood", piece, start, end);
      return;
    }
    long seconds = fields.seconds - job.fromSeconds;
    if (Math.abs(seconds) >= 1L << 32) {
      skip("its time lies too far away", piece, start, end);
      return;
    }
    long moment = seconds * 1_000_000_000L + fields.nanoseconds - job.fromNanoseconds;
    int hash = fields.find(piece, start, end, key) ? fields.hash(keyType) : -1;
    if (hash < 0) {
      skip("it has no key", piece, start, end);
      return;
    }
    if (greatest != NONE && moment < greatest - job.late) {
      skip("it is late", piece, start, end);
      return;
    }
    greatest = Math.max(greatest, moment);
    if (moment < 0) {
      skip("it lies before time 0", piece, start, end);
      return;
    }
    if (moment > job.end) return;
    put(hash % parts.length, moment, piece, start, end);
  }

  private void skip(String why, byte[] piece, int start, int end) {
    skipped.inc();
    if (warnings++ < 10) {
      String line = new String(piece, start, Math.min(end - start, 200), StandardCharsets.UTF_8);
      LOG.warn("{}: a line is skipped, {}: {}", job.inputs.get(source).name, why, line);
    }
  }

  private void put(int part, long moment, byte[] piece, int start, int end) {
    int size = 12 + end - start;
    ByteBuffer block = blocks[part];
    if (block != null && block.remaining() < size) {
      emit(part);
      block = null;
    }
    if (block == null) {
      block = ByteBuffer.allocate(Math.max(BLOCK, size)).order(ByteOrder.nativeOrder());
      blocks[part] = block;
    }
    block.putLong(moment).putInt(end - start).put(piece, start, end - start);
  }

  private void emit(int part) {
    byte[] block = Arrays.copyOf(blocks[part].array(), blocks[part].position());
    blocks[part] = null;
    output.collect(new StreamRecord<>(Tuple3.of(parts[part], source, block)));
  }

  /** All blocks, and how far time has come. */
  private void flush() {
    for (int part = 0; part < parts.length; part++) if (blocks[part] != null) emit(part);
    // At the greatest time itself there may be more.
    if (greatest == NONE || greatest - job.late - 1 <= said) return;
    said = greatest - job.late - 1;
    output.emitWatermark(new Watermark(said));
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpoint) {
    flush();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    kept.update(greatest == NONE ? java.util.List.of() : java.util.List.of(greatest));
  }

  /** Of the source's own only the last counts: all has been read. */
  @Override
  public void processWatermark(Watermark mark) throws Exception {
    if (mark.getTimestamp() != Long.MAX_VALUE) return;
    flush();
    long last = Math.min(Math.max(greatest, 0), job.end);
    byte[] block = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(last).array();
    for (int part : parts) output.collect(new StreamRecord<>(Tuple3.of(part, END, block)));
    super.processWatermark(mark);
  }
}
