package dev.ouroboros.runtime.image;

import java.io.IOException;
import java.io.InputStream;

/** The next bytes of an archive, exactly so many: fewer are an error. */
final class BoundedInputStream extends InputStream {
    private final InputStream in;
    private long left;

    BoundedInputStream(InputStream in, long size) {
        this.in = in;
        this.left = size;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (left == 0) {
            return -1;
        }
        int read;
        try {
            read = in.read(target, offset, (int) Math.min(length, left));
        } catch (IOException e) {
            throw new DamagedArchiveException(e);
        }
        if (read < 0) {
            throw new DamagedArchiveException("it is cut off");
        }
        left -= read;
        return read;
    }

    void skipRest() throws IOException {
        try {
            in.skipNBytes(left);
        } catch (IOException e) {
            throw new DamagedArchiveException(e);
        }
        left = 0;
    }
}
