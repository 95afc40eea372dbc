package dev.ouroboros.snapshot.bolt;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The bytes of a file of any size at any offset, little-endian, through a cache of 4 MiB.
 *
 * <p>The file is read, not mapped: a mapped file that shrinks, or a disk that fails, ends in an error of the virtual machine that has
 * no place and no name, and a mapping as large as the file makes the process look as large.
 */
final class FileView implements AutoCloseable {
    private static final int CHUNK = 16 << 10;
    private static final int CHUNKS = 256;
    private static final VarHandle SHORT = handle(short[].class);
    private static final VarHandle INT = handle(int[].class);
    private static final VarHandle LONG = handle(long[].class);

    private final Path path;
    private final FileChannel channel;
    private final long size;
    private final byte[][] chunks = new byte[CHUNKS][];
    private final long[] held = new long[CHUNKS];

    private FileView(Path path, FileChannel channel, long size) {
        this.path = path;
        this.channel = channel;
        this.size = size;
    }

    private static VarHandle handle(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    static FileView open(Path path) {
        try {
            FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
            return new FileView(path, channel, channel.size());
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    Path path() {
        return path;
    }

    /** As it was when the file was opened. */
    long size() {
        return size;
    }

    int unsignedByte(long offset) throws DamageException {
        check(offset, 1);
        return chunk(offset)[(int) (offset % CHUNK)] & 0xff;
    }

    int unsignedShort(long offset) throws DamageException {
        check(offset, Short.BYTES);
        int within = (int) (offset % CHUNK);
        return within <= CHUNK - Short.BYTES
                ? (short) SHORT.get(chunk(offset), within) & 0xffff
                : unsignedByte(offset) | unsignedByte(offset + 1) << 8;
    }

    long unsignedInt(long offset) throws DamageException {
        check(offset, Integer.BYTES);
        int within = (int) (offset % CHUNK);
        return within <= CHUNK - Integer.BYTES
                ? Integer.toUnsignedLong((int) INT.get(chunk(offset), within))
                : unsignedShort(offset) | (long) unsignedShort(offset + 2) << 16;
    }

    long unsignedLong(long offset) throws DamageException {
        check(offset, Long.BYTES);
        int within = (int) (offset % CHUNK);
        return within <= CHUNK - Long.BYTES
                ? (long) LONG.get(chunk(offset), within)
                : unsignedInt(offset) | unsignedInt(offset + 4) << 32;
    }

    byte[] bytes(long offset, int length) throws DamageException {
        check(offset, length);
        byte[] copy = new byte[length];
        copy(offset, copy, 0, length);
        return copy;
    }

    /** What {@link #bytes} would return, piece by piece. */
    void each(long offset, long length, Piece piece) throws DamageException {
        check(offset, length);
        long at = offset;
        long rest = length;
        while (rest > 0) {
            int within = (int) (at % CHUNK);
            int part = (int) Math.min(CHUNK - within, rest);
            piece.accept(chunk(at), within, part);
            at += part;
            rest -= part;
        }
    }

    /** Bytes in an array that is the receiver's for the call only. */
    interface Piece {
        void accept(byte[] array, int from, int length);
    }

    private void copy(long offset, byte[] target, int from, int length) throws DamageException {
        int[] position = {from};
        each(offset, length, (array, within, part) -> {
            System.arraycopy(array, within, target, position[0], part);
            position[0] += part;
        });
    }

    private void check(long offset, long length) throws DamageException {
        if (offset < 0 || length < 0 || offset > size - length) {
            throw new DamageException(
                    offset, "needs " + length + " bytes at offset " + offset + ", but the file ends at " + size);
        }
    }

    private byte[] chunk(long offset) {
        long index = offset / CHUNK;
        int slot = (int) (index % CHUNKS);
        byte[] chunk = chunks[slot];
        if (chunk == null) {
            chunk = new byte[CHUNK];
            chunks[slot] = chunk;
        } else if (held[slot] == index) {
            return chunk;
        }
        held[slot] = -1;
        long start = index * CHUNK;
        fill(chunk, start, (int) Math.min(CHUNK, size - start));
        held[slot] = index;
        return chunk;
    }

    private void fill(byte[] chunk, long start, int length) {
        ByteBuffer buffer = ByteBuffer.wrap(chunk, 0, length);
        try {
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, start + buffer.position()) < 0) {
                    throw ProblemException.of(
                            ErrorCode.FILE_CHANGED,
                            path.toString(),
                            "became shorter while it was read",
                            size + " bytes",
                            "copy the file first, or take a snapshot of a running etcd: ouro snapshot save FILE");
                }
            }
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    private static ProblemException failure(Path path, IOException e) {
        return FileTrouble.of(path, "cannot be read", e);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw failure(path, e);
        }
    }
}
