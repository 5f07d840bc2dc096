package frp.flink;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.reader.StreamFormat;
import org.apache.flink.connector.file.src.util.CheckpointedPosition;
import org.apache.flink.core.fs.FSDataInputStream;

/**
 * A file's bytes in pieces of whole lines. A piece, not a line, is one record for Flink, and a file that was read half goes on
 * at its offset: neither costs what the lines before it were.
 */
final class Lines implements StreamFormat<byte[]> {
  private static final long serialVersionUID = 1;
  private static final int SIZE = 1 << 16;

  @Override
  public Reader createReader(Configuration config, FSDataInputStream in, long length, long end) {
    return new Reader(in, 0);
  }

  @Override
  public Reader restoreReader(Configuration config, FSDataInputStream in, long offset, long length, long end)
      throws IOException {
    in.seek(offset);
    return new Reader(in, offset);
  }

  /** The order of the lines is the order in which they come. */
  @Override
  public boolean isSplittable() {
    return false;
  }

  @Override
  public TypeInformation<byte[]> getProducedType() {
    return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
  }

  static final class Reader implements StreamFormat.Reader<byte[]> {
    private final FSDataInputStream in;
    private byte[] buffer = new byte[SIZE];
    private int size;
    private long offset;

    Reader(FSDataInputStream in, long offset) {
      this.in = in;
      this.offset = offset;
    }

    @Override
    public byte[] read() throws IOException {
      while (true) {
        int count = size == buffer.length ? 0 : in.read(buffer, size, buffer.length - size);
        if (count < 0) return size == 0 ? null : take(size);
        size += count;
        int end = size;
        while (end > 0 && buffer[end - 1] != '\n') end--;
        if (end > 0 && size > buffer.length / 2) return take(end);
        if (size == buffer.length) {
          // More than half of it is one line, or all.
          if (end > 0) return take(end);
          buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
      }
    }

    private byte[] take(int end) {
      byte[] piece = Arrays.copyOf(buffer, end);
      System.arraycopy(buffer, end, buffer, 0, size - end);
      size -= end;
      offset += end;
      return piece;
    }

    @Override
    public CheckpointedPosition getCheckpointedPosition() {
      return new CheckpointedPosition(offset, 0);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
