package dev.ouroboros.images.oci;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a 64-bit little-endian ELF file asks of the dynamic linker (System V ABI, chapters 4 and 5).
 *
 * @param interpreter the dynamic linker's path (PT_INTERP); empty for a static program or a library
 * @param needed names of the shared libraries it needs itself (DT_NEEDED), in the file's order
 */
record ElfFile(Optional<String> interpreter, List<String> needed) {
    private static final int MAGIC = 0x464c457f;
    private static final int CLASS_64_LITTLE_ENDIAN = 0x0102;
    private static final int HEADER_SIZE = 64;
    private static final int PROGRAM_HEADER_SIZE = 56;
    private static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;
    private static final int PT_INTERP = 3;
    private static final long DT_NULL = 0;
    private static final long DT_NEEDED = 1;
    private static final long DT_STRTAB = 5;

    ElfFile {
        needed = List.copyOf(needed);
    }

    /** Reads a file's headers; empty when it is no such ELF file, a script for example. */
    static Optional<ElfFile> read(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer header = bytes(channel, 0, HEADER_SIZE);
            if (header.remaining() < HEADER_SIZE
                    || header.getInt(0) != MAGIC
                    || header.getShort(4) != CLASS_64_LITTLE_ENDIAN) {
                return Optional.empty();
            }
            return Optional.of(parse(channel, segments(channel, header)));
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        } catch (IndexOutOfBoundsException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.DAMAGED_FILE,
                            file.toString(),
                            "begins as a program for Linux, and is none: " + e.getMessage(),
                            "a whole ELF file",
                            "put a program for Linux in its place, or take another source of binaries"),
                    e);
        }
    }

    private record Segment(int type, long offset, long address, long size) {
        boolean holds(long wanted) {
            return type == PT_LOAD && wanted >= address && wanted < address + size;
        }
    }

    private static List<Segment> segments(FileChannel channel, ByteBuffer header) throws IOException {
        int count = Short.toUnsignedInt(header.getShort(56));
        ByteBuffer table = bytes(channel, header.getLong(32), count * PROGRAM_HEADER_SIZE);
        List<Segment> segments = new ArrayList<>();
        for (int start = 0; start < count * PROGRAM_HEADER_SIZE; start += PROGRAM_HEADER_SIZE) {
            segments.add(new Segment(
                    table.getInt(start),
                    table.getLong(start + 8),
                    table.getLong(start + 16),
                    table.getLong(start + 32)));
        }
        return segments;
    }

    private static ElfFile parse(FileChannel channel, List<Segment> segments) throws IOException {
        Optional<String> interpreter = Optional.empty();
        List<String> needed = new ArrayList<>();
        for (Segment segment : segments) {
            if (segment.type() == PT_INTERP) {
                interpreter = Optional.of(string(bytes(channel, segment.offset(), (int) segment.size()), 0));
            } else if (segment.type() == PT_DYNAMIC) {
                needed.addAll(needed(channel, segments, segment));
            }
        }
        return new ElfFile(interpreter, needed);
    }

    /** The dynamic section is pairs of tag and value, which for a name is an offset into the string table. */
    private static List<String> needed(FileChannel channel, List<Segment> segments, Segment dynamic)
            throws IOException {
        ByteBuffer pairs = bytes(channel, dynamic.offset(), (int) dynamic.size());
        List<Long> offsets = new ArrayList<>();
        long stringTable = 0;
        for (int start = 0; start + 16 <= pairs.limit() && pairs.getLong(start) != DT_NULL; start += 16) {
            long tag = pairs.getLong(start);
            if (tag == DT_NEEDED) {
                offsets.add(pairs.getLong(start + 8));
            } else if (tag == DT_STRTAB) {
                stringTable = pairs.getLong(start + 8);
            }
        }
        List<String> names = new ArrayList<>();
        for (long offset : offsets) {
            long address = stringTable + offset;
            for (Segment segment : segments) {
                if (segment.holds(address)) {
                    names.add(string(bytes(channel, segment.offset() + address - segment.address(), 256), 0));
                }
            }
        }
        return names;
    }

    private static ByteBuffer bytes(FileChannel channel, long offset, int size) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, offset + buffer.position()) < 0) {
                break;
            }
        }
        return buffer.flip();
    }

    private static String string(ByteBuffer buffer, int start) {
        int end = start;
        while (buffer.get(end) != 0) {
            end++;
        }
        byte[] text = new byte[end - start];
        buffer.get(start, text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
