package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.front.NftFront;
import dev.ouroboros.node.namespace.TemporaryNamespace;
import dev.ouroboros.node.process.Processes;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/** Whether this kernel and this nft take the front's table: it is installed in a network namespace of its own, which is removed afterwards. */
final class FrontCheck implements Check {
    private static final String CHECK = "nftables";

    /** Addresses for documentation (RFC 5737), which nothing has. */
    private static final FrontSpec SPEC = FrontSpec.of(
            List.of(InetAddress.ofLiteral("192.0.2.1")),
            List.of(ServiceAddress.ofKubernetes(InetAddress.ofLiteral("198.51.100.1"))));

    private final Processes processes;

    FrontCheck(Processes processes) {
        this.processes = processes;
    }

    @Override
    public List<Finding> run() {
        try (TemporaryNamespace namespace = TemporaryNamespace.create()) {
            NftFront front = new NftFront(processes, namespace.namespace().prefix(), SPEC);
            front.pointToUnderstudy(Duration.ofSeconds(60));
            FrontState state = front.read();
            if (state instanceof FrontState.ToUnderstudy) {
                return List.of(Finding.ok(CHECK, "the front's table works, leases and socket matching included"));
            }
            return List.of(wrong("the front's table reads back as " + state));
        } catch (ProblemException e) {
            return List.of(wrong(String.valueOf(e.getMessage())));
        }
    }

    private static Finding wrong(String evidence) {
        return Ailment.FRONT_CANNOT_BE_MADE.seen(evidence);
    }
}
