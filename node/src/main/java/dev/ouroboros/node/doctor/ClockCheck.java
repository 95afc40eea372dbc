package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.node.libc.KernelClock;
import dev.ouroboros.node.libc.SystemCallFailed;
import java.util.List;

/** Whether something keeps the clock right: certificates and leases depend on it. */
final class ClockCheck implements Check {
    private static final String CHECK = "clock";

    @Override
    public List<Finding> run() {
        try {
            return List.of(judge(new KernelClock().isSynchronized()));
        } catch (SystemCallFailed e) {
            return List.of(Finding.unknown(CHECK, String.valueOf(e.getMessage())));
        }
    }

    static Finding judge(boolean synchronised) {
        return synchronised
                ? Finding.ok(CHECK, "the kernel says it is synchronised")
                : Ailment.CLOCK_RUNS_FREE.seen("the kernel says that nothing synchronises it");
    }
}
