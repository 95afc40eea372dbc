package dev.ouroboros.images.oci;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A pause container's only program, as an x86-64 Linux executable made without a compiler, for binaries that come without
 * Kubernetes' own. It holds a pod's namespaces, reaps orphans when it is PID 1, and ends on SIGTERM and SIGINT.
 *
 * <p>It blocks the three signals and takes them one by one with {@code rt_sigtimedwait}. A blocked signal is queued also for
 * PID 1, which would otherwise not get a signal it has no handler for ({@code sig_ignored} in the kernel's signal.c).
 *
 * <pre>
 *         rt_sigprocmask(SIG_BLOCK, mask, NULL, 8)
 * wait:   signal = rt_sigtimedwait(mask, NULL, NULL, 8)
 *         if signal == SIGCHLD goto reap
 *         if signal == SIGINT  goto exit
 *         if signal != SIGTERM goto wait          (interrupted)
 * exit:   exit(0)
 * reap:   if wait4(-1, NULL, WNOHANG, NULL) > 0 goto reap
 *         goto wait
 * mask:   the three signals
 * </pre>
 */
final class PauseProgram {
    private static final long LOAD_ADDRESS = 0x400000;
    private static final int HEADERS_SIZE = 64 + 56;
    private static final int CAPACITY = 512;

    private static final int SYS_RT_SIGPROCMASK = 14;
    private static final int SYS_EXIT = 60;
    private static final int SYS_WAIT4 = 61;
    private static final int SYS_RT_SIGTIMEDWAIT = 128;
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;
    private static final int SIGCHLD = 17;
    private static final int WNOHANG = 1;
    private static final int SIGNAL_SET_SIZE = 8;

    private static final int JUMP_IF_EQUAL = 0x74;
    private static final int JUMP_IF_NOT_EQUAL = 0x75;
    private static final int JUMP_IF_GREATER = 0x7f;
    private static final int JUMP = 0xeb;

    private final ByteBuffer out = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);

    private PauseProgram() {}

    /** The executable file. */
    static byte[] bytes() {
        return new PauseProgram().assemble();
    }

    private byte[] assemble() {
        out.position(HEADERS_SIZE);
        loadEax(SYS_RT_SIGPROCMASK);
        emit(0x31, 0xff); // xor edi, edi: SIG_BLOCK
        emit(0xbe); // mov esi, mask
        int maskOfBlock = placeholder();
        emit(0x31, 0xd2); // xor edx, edx
        emit(0x41, 0xba); // mov r10d, 8
        out.putInt(SIGNAL_SET_SIZE);
        systemCall();

        int wait = out.position();
        loadEax(SYS_RT_SIGTIMEDWAIT);
        emit(0xbf); // mov edi, mask
        int maskOfWait = placeholder();
        emit(0x31, 0xf6); // xor esi, esi
        emit(0x31, 0xd2); // xor edx, edx
        emit(0x41, 0xba); // mov r10d, 8
        out.putInt(SIGNAL_SET_SIZE);
        systemCall();
        compareEax(SIGCHLD);
        int toReap = jumpForward(JUMP_IF_EQUAL);
        compareEax(SIGINT);
        int toExit = jumpForward(JUMP_IF_EQUAL);
        compareEax(SIGTERM);
        jumpBack(JUMP_IF_NOT_EQUAL, wait);

        land(toExit);
        loadEax(SYS_EXIT);
        emit(0x31, 0xff); // xor edi, edi
        systemCall();

        land(toReap);
        int reap = out.position();
        loadEax(SYS_WAIT4);
        emit(0xbf); // mov edi, -1
        out.putInt(-1);
        emit(0x31, 0xf6); // xor esi, esi
        emit(0xba); // mov edx, WNOHANG
        out.putInt(WNOHANG);
        emit(0x45, 0x31, 0xd2); // xor r10d, r10d
        systemCall();
        emit(0x85, 0xc0); // test eax, eax
        jumpBack(JUMP_IF_GREATER, reap);
        jumpBack(JUMP, wait);

        int mask = (int) LOAD_ADDRESS + out.position();
        out.putInt(maskOfBlock, mask);
        out.putInt(maskOfWait, mask);
        out.putLong(bit(SIGINT) | bit(SIGTERM) | bit(SIGCHLD));
        return withHeaders(out.position());
    }

    /** ELF header and one program header that loads the whole file, readable and executable. */
    private byte[] withHeaders(int size) {
        out.position(0);
        emit(0x7f, 'E', 'L', 'F', 2, 1, 1, 0);
        out.putLong(0);
        out.putShort((short) 2).putShort((short) 62).putInt(1); // executable, x86-64, version
        out.putLong(LOAD_ADDRESS + HEADERS_SIZE).putLong(64).putLong(0); // entry, program headers, no sections
        out.putInt(0).putShort((short) 64).putShort((short) 56).putShort((short) 1); // flags, sizes, one segment
        out.putShort((short) 64).putShort((short) 0).putShort((short) 0);
        out.putInt(1).putInt(5); // PT_LOAD, read and execute
        out.putLong(0).putLong(LOAD_ADDRESS).putLong(LOAD_ADDRESS);
        out.putLong(size).putLong(size).putLong(0x1000);
        byte[] file = new byte[size];
        out.get(0, file);
        return file;
    }

    private static long bit(int signal) {
        return 1L << (signal - 1);
    }

    private void emit(int... bytes) {
        for (int value : bytes) {
            out.put((byte) value);
        }
    }

    private void loadEax(int value) {
        emit(0xb8);
        out.putInt(value);
    }

    private void systemCall() {
        emit(0x0f, 0x05);
    }

    private void compareEax(int value) {
        emit(0x83, 0xf8, value);
    }

    private int placeholder() {
        out.putInt(0);
        return out.position() - Integer.BYTES;
    }

    /** A jump to a place that {@link #land} fixes. */
    private int jumpForward(int condition) {
        emit(condition, 0);
        return out.position() - 1;
    }

    private void land(int jump) {
        out.put(jump, (byte) (out.position() - jump - 1));
    }

    private void jumpBack(int condition, int target) {
        emit(condition, 0);
        out.put(out.position() - 1, (byte) (target - out.position()));
    }
}
