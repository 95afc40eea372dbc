package dev.ouroboros.cli.start;

import dev.ouroboros.bootstrap.Bootstrap;
import dev.ouroboros.bootstrap.StartOptions;
import dev.ouroboros.cli.console.Screen;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.recovery.EndedCertificates;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import picocli.CommandLine.Option;

/** What {@code start} does on a cluster that was off until its certificates had ended. */
final class CertificateOptions {
    @Option(
            names = "--renew-certificates",
            description =
                    "For a cluster that was off until its certificates had ended: those of the asset directory, of this node's member of etcd and"
                            + " kubelet, and of the control plane's workloads are issued again, where a third of their life is left or less, by"
                            + " the authorities in the asset directory. What the keeper has started is taken over, as with --take-over. For a"
                            + " cluster with one control-plane node.")
    private boolean wanted;

    boolean wanted() {
        return wanted;
    }

    /** Takes a pivot to its end. */
    interface Pivot {
        void run() throws InterruptedException;
    }

    /**
     * Runs a pivot: what it begins with has certificates before, what the cluster has gets them as soon as an API server answers.
     *
     * @param limit how long one thing is waited for
     */
    void around(StartOptions options, Screen screen, Duration limit, Pivot pivot) throws InterruptedException {
        if (!wanted) {
            pivot.run();
            return;
        }
        EndedCertificates ended = new EndedCertificates(
                ThisMachine.disk(), options.assetDirectory(), RenewalPolicy.STANDARD, InstantSource.system());
        List<String> changed =
                ended.renewHere(options.podManifestPath().resolve("etcd.yaml"), EndedCertificates.KUBELET_KEYS);
        changed.forEach(file -> screen.line("issued again: " + file));
        if (changed.stream().anyMatch(file -> file.contains("kubelet-client"))) {
            // The kubelet may wait for a signature on a request that it made with a bootstrap token that has ended,
            // too.
            options.kubeletRestart()
                    .ifPresent(command -> ThisMachine.processes()
                            .run(Command.of("/bin/sh", "-c", command))
                            .orThrow());
        }
        Bootstrap.copyKeysAnew(ThisMachine.disk());
        try (EndedCertificates.Background workloads = ended.renewWorkloads(told(screen), limit)) {
            try {
                pivot.run();
            } catch (ProblemException e) {
                // Why workloads did not begin tells more than that they did not.
                workloads.failure().ifPresent(why -> screen.line("certificates of workloads: " + why.describe()));
                throw e;
            }
            workloads.await();
        }
    }

    private static ProcedureListener told(Screen screen) {
        return new ProcedureListener() {
            @Override
            public void did(String what) {
                screen.line(what);
            }

            @Override
            public void waits(String why, Duration since) {
                // The start itself says what it waits for.
            }
        };
    }
}
