package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.bootstrap.decide.PivotAction;
import dev.ouroboros.bootstrap.decide.PivotDecision.Planned;
import dev.ouroboros.bootstrap.decide.PivotReason;
import dev.ouroboros.cluster.Applier;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.FormerLife;
import dev.ouroboros.cluster.NodeRegistration;
import dev.ouroboros.cluster.TemporaryLeaders;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.net.NodeCidrs;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.action.Wakeup;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.render.manifest.ManifestSet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ActuatorTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    /** On one port there is no front, and the pivot never decides on one: if it did, a start would wait for it forever. */
    @Test
    void aDefectEndsTheStartInsteadOfBeingTriedAgain() throws InterruptedException {
        ModelDisk disk = new ModelDisk();
        InstantSource clock = InstantSource.system();
        Wakeup changed = new Wakeup();
        Endpoint nobody = Endpoint.of(URI.create("https://127.0.0.1:1"), List.of(), Optional.empty(), Optional.empty());
        PodLogs logs = new PodLogs(disk, Path.of("/var/log/pods"));
        TemporaryControlPlane temporary = new TemporaryControlPlane(
                disk,
                Path.of("/etc/kubernetes/manifests"),
                new SmallAssets(disk, Path.of("/assets")).read(),
                new ApiAddress.OnLoopback(LOOPBACK, 1));
        ApiServerSources servers = new SharedPortSources(
                nobody, new InetSocketAddress(LOOPBACK, 1), Listeners.ofThisMachine(), logs, "node", clock);
        try (ClusterClient client = ClusterClient.connect(nobody);
                NodeSources nodeSources =
                        new NodeSources(changed, temporary, servers, logs, "node", Optional.empty(), clock);
                StartApiSources apiSources = new StartApiSources(
                        changed,
                        client,
                        new Applier(client),
                        ManifestSet.of(List.of()),
                        Optional.empty(),
                        List.of(),
                        new NodeRegistration(
                                client, "node", Set.of(), NodeCidrs.none(), FormerLife.before(Optional.empty())),
                        new KubernetesServiceEndpoints(
                                client.api(), "127.0.0.1", 1, () -> Evidence.known(Set.of()), () -> true),
                        new TemporaryLeaders(client, "node", Set.of()),
                        FormerLife.before(Optional.empty()),
                        () -> {},
                        Duration.ofMinutes(1));
                Actuator actuator = new Actuator(
                        nodeSources,
                        apiSources,
                        temporary,
                        Optional.empty(),
                        new LocalProcesses(),
                        changed,
                        clock,
                        _ -> {})) {
            actuator.take(
                    List.of(new Planned(new PivotAction.InstallFront(), PivotReason.FRONT_IS_MISSING)), Instant.MAX);
            changed.await(Duration.ofSeconds(20));

            assertThat(actuator.refusals())
                    .containsExactly(new Problem(
                            ErrorCode.INTERNAL,
                            "InstallFront[]",
                            "java.lang.IllegalStateException: decided on a front where there is none",
                            "",
                            "please report it"));
        }
    }
}
