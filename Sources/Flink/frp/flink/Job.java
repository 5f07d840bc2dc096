package frp.flink;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.Encoder;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;

/** {@code flink run frp-flink.jar JOB OUT}: runs what {@code frp flink} wrote; its outputs go into files below OUT. */
public final class Job {
  private Job() {}

  /** Parts of the keys; as many workers can share the work. State that was kept has so many. */
  private static final int PARTS = 128;

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 2) throw new IllegalArgumentException("two words: what `frp flink` wrote, and a folder");
    JobText job = JobText.read(arguments[0]);
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.getConfig().enableObjectReuse();
    environment.setMaxParallelism(PARTS);
    if (!environment.getCheckpointConfig().isCheckpointingEnabled()) environment.enableCheckpointing(1000);
    int[] parts = keys();
    var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
    var blocks = new TupleTypeInfo<Tuple3<Integer, Integer, byte[]>>(Types.INT, Types.INT, bytes);

    DataStream<Tuple3<Integer, Integer, byte[]>> lines = null;
    for (int source = 0; source < job.inputs.size(); source++) {
      JobText.Input input = job.inputs.get(source);
      var file = FileSource.forRecordStreamFormat(new Lines(), new Path(input.file)).build();
      DataStream<Tuple3<Integer, Integer, byte[]>> stamped =
          environment
              .fromSource(file, WatermarkStrategy.noWatermarks(), input.name, bytes)
              .uid("source " + input.name)
              .setParallelism(1)
              .transform("times of " + input.name, blocks, new Stamp(job, source, parts))
              .uid("times " + input.name)
              .setParallelism(1);
      lines = lines == null ? stamped : lines.union(stamped);
    }
    lines
        .keyBy((KeySelector<Tuple3<Integer, Integer, byte[]>, Integer>) block -> block.f0, Types.INT)
        .transform(job.name, bytes, new Parts(job))
        .uid("parts")
        .sinkTo(
            FileSink.forRowFormat(new Path(arguments[1]), (Encoder<byte[]>) (text, out) -> out.write(text))
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .build())
        .uid("sink");
    environment.execute("frp " + job.name);
  }

  /** A key for each key group, so that each part is one, and they are spread evenly. */
  private static int[] keys() {
    int[] keys = new int[PARTS];
    boolean[] isFound = new boolean[PARTS];
    for (int key = 0, found = 0; found < PARTS; key++) {
      int group = KeyGroupRangeAssignment.assignToKeyGroup(key, PARTS);
      if (isFound[group]) continue;
      isFound[group] = true;
      keys[group] = key;
      found++;
    }
    return keys;
  }
}
