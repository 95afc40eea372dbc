package dev.ouroboros.node.libc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Whether the kernel takes its clock for synchronized, by adjtimex(2), which is asked to change nothing. */
public final class KernelClock {
    /** sizeof(struct timex) on 64-bit Linux. */
    private static final long TIMEX_BYTES = 208;

    /** offsetof(struct timex, status): after modes (padded), offset, freq, maxerror, esterror. */
    private static final long STATUS_OFFSET = 40;

    private static final int STA_UNSYNC = 0x0040;

    private final MethodHandle adjtimex;

    @SuppressWarnings("restricted")
    public KernelClock() {
        Linker linker = Linker.nativeLinker();
        adjtimex = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("adjtimex"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    }

    /** Whether a program, as chronyd, has told the kernel that the clock is right. */
    public boolean isSynchronized() throws SystemCallFailed {
        try (Arena arena = Arena.ofConfined()) {
            // Zero modes: nothing is set.
            MemorySegment timex = arena.allocate(TIMEX_BYTES, Long.BYTES);
            int state = (int) adjtimex.invokeExact(timex);
            if (state < 0) {
                throw new SystemCallFailed("adjtimex failed");
            }
            return (timex.get(ValueLayout.JAVA_INT, STATUS_OFFSET) & STA_UNSYNC) == 0;
        } catch (SystemCallFailed e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }
}
