package frp.flink;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.fs.Path;

/** What {@code frp flink} writes: lines of a word and its value, and behind {@code text} the program. */
final class JobText implements Serializable {
  private static final long serialVersionUID = 1;

  /** An input: its file, the fields of its key and its time, and what part of a second the time counts. */
  static final class Input implements Serializable {
    private static final long serialVersionUID = 1;
    String name, file, key, keyType, time;
    long fraction = 1;
  }

  String name = "program";
  byte[] text;
  final List<Input> inputs = new ArrayList<>();
  long fromSeconds, fromNanoseconds, late, seed;

  /** When the run ends; the last line's time without it. */
  long end = Long.MAX_VALUE;

  static JobText read(String file) throws IOException {
    Path path = new Path(file);
    try (InputStream in = path.getFileSystem().open(path)) {
      return parse(in.readAllBytes());
    }
  }

  private static JobText parse(byte[] bytes) throws IOException {
    JobText job = new JobText();
    int at = 0;
    boolean isOurs = false;
    while (at < bytes.length) {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      while (at < bytes.length && bytes[at] != '\n') line.write(bytes[at++]);
      at++;
      String[] parts = line.toString(StandardCharsets.UTF_8).split(" ", 2);
      String value = parts.length > 1 ? parts[1] : "";
      if (!isOurs && !(parts[0].equals("frp-flink") && value.equals("1"))) break;
      isOurs = true;
      Input input = job.inputs.isEmpty() ? null : job.inputs.get(job.inputs.size() - 1);
      switch (parts[0]) {
        case "frp-flink" -> {}
        case "name" -> job.name = value;
        case "from" -> {
          String[] moment = value.split(" ");
          job.fromSeconds = Long.parseLong(moment[0]);
          job.fromNanoseconds = Long.parseLong(moment[1]);
        }
        case "late" -> job.late = Long.parseLong(value);
        case "end" -> job.end = Long.parseLong(value);
        case "seed" -> job.seed = Long.parseUnsignedLong(value);
        case "input" -> {
          job.inputs.add(new Input());
          job.inputs.get(job.inputs.size() - 1).name = value;
        }
        case "file" -> input.file = value;
        case "key" -> input.key = value;
        case "type" -> input.keyType = value;
        case "time" -> input.time = value;
        case "fraction" -> input.fraction = Long.parseLong(value);
        case "text" -> {
          job.text = java.util.Arrays.copyOfRange(bytes, at, bytes.length);
          return job;
        }
        default -> throw new IOException("a job of frp has no `" + parts[0] + "`");
      }
    }
    throw new IOException("this is no job that `frp flink` wrote");
  }

  /** The inputs' names, each with a line break behind it. */
  byte[] inputNames() {
    StringBuilder names = new StringBuilder();
    for (Input input : inputs) names.append(input.name).append('\n');
    return names.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** What time 0 is, in words. */
  String from() {
    return fromSeconds + " s and " + fromNanoseconds + " ns since 1970";
  }

  double epoch() {
    return fromSeconds + fromNanoseconds / 1e9;
  }
}
