package frp.flink;

import java.nio.file.Path;

/**
 * The C library. This class belongs into Flink's {@code lib/} and no job's jar: a library is loaded once a JVM, by one class
 * loader, and each job has one of its own.
 *
 * <p>Parts and programs are handles; {@code native.c} says what they are. Nothing here is used by two threads at once.
 */
public final class Native {
  private Native() {}

  static {
    try {
      Path jar = Path.of(Native.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      System.load(jar.resolveSibling("libfrp-flink.so").toString());
    } catch (java.net.URISyntaxException error) {
      throw new ExceptionInInitializerError(error);
    }
  }

  /** Compiles a text; throws IllegalStateException with its errors. */
  public static native long compile(byte[] name, byte[] text);

  public static native void forget(long program);

  /** A part with a run that has started. {@code inputs} are names, each with a line break behind it, in the order of sources. */
  public static native long open(long program, byte[] inputs, double epoch, long seed);

  /** A part that goes on where it was saved; {@code next}, where it is not 0, is the program that takes over. */
  public static native long restore(long program, long next, byte[] inputs, long seed, byte[] state);

  /** Lines that happen later: time (8 bytes), length (4), text. */
  public static native void add(long part, int source, byte[] block);

  /** Lets happen all up to a time, in nanoseconds; gives what outputs have shown, as lines, or null. */
  public static native byte[] release(long part, long time, boolean[] happened);

  /** The same, and the run's last instant. */
  public static native byte[] finish(long part, long time);

  public static native byte[] save(long part);

  public static native byte[] message(long part);

  /** Lines that were taken, lines that were none of the input's type, and faults. */
  public static native long[] counts(long part);

  public static native void close(long part);
}
