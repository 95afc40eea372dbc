package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.StartEvent.Milestone;
import dev.ouroboros.cluster.Applier;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.FormerLife;
import dev.ouroboros.cluster.WorkloadObserver;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.SelfHostedWorkload;
import dev.ouroboros.node.action.Wakeup;
import dev.ouroboros.render.manifest.ManifestSet;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The last step of a {@code start}: the keeper takes over what {@code start} did for the node.
 *
 * <p>Its DaemonSet is applied when the control plane serves alone and is accepted, so that its JVM takes no processor from the pivot.
 * {@code start} gives its lock back, because the keeper does nothing while that lock is held, and ends when everything that is needed
 * after a power cut is on the disk: otherwise a cluster that lost its power right after {@code start} would not come back. Then the
 * steward's is applied, of whose JVM the same holds, and which nothing waits for. In a cluster that had one before, as after a restore of etcd, it begins with all others.
 */
final class KeeperHandover {
    private static final Duration RETRY = Duration.ofMillis(500);

    private final ClusterClient client;
    private final Applier applier;
    private final ManifestSet keeper;
    private final ManifestSet steward;
    private final String node;
    private final KeeperFiles files;
    private final Duration patience;
    private final InstantSource clock;
    private final Consumer<StartEvent> listener;
    private final FormerLife former;
    private final Wakeup changed = new Wakeup();

    KeeperHandover(
            ClusterClient client,
            Applier applier,
            ManifestSet keeper,
            ManifestSet steward,
            String node,
            KeeperFiles files,
            Duration patience,
            InstantSource clock,
            Consumer<StartEvent> listener,
            FormerLife former) {
        this.client = client;
        this.applier = applier;
        this.keeper = keeper;
        this.steward = steward;
        this.node = node;
        this.files = files;
        this.patience = patience;
        this.clock = clock;
        this.listener = listener;
        this.former = former;
    }

    /** Applies the keeper's DaemonSet with its rights and Secrets; called with start's lock held. */
    void begin() throws InterruptedException {
        apply(keeper);
    }

    private void apply(ManifestSet objects) throws InterruptedException {
        Instant deadline = clock.instant().plus(patience);
        while (true) {
            try {
                applier.apply(objects.json(), done -> changed.raise());
                return;
            } catch (ProblemException e) {
                boolean passes = e.problems().stream().allMatch(problem -> problem.code() == ErrorCode.API_UNAVAILABLE);
                if (!passes || clock.instant().isAfter(deadline)) {
                    throw e;
                }
                changed.await(RETRY);
            }
        }
    }

    /**
     * Waits until the keeper runs and has saved the control plane, and has the steward begin; called when start's lock is free.
     *
     * @throws ProblemException what is missing when patience has ended
     */
    void await(Instant startBegan) throws InterruptedException {
        Instant deadline = clock.instant().plus(patience);
        List<String> told = List.of();
        try (WorkloadObserver observer =
                new WorkloadObserver(client, keeper.controlPlane(), node, former, changed::raise)) {
            List<String> missing = missing(observer.observe());
            while (!missing.isEmpty()) {
                if (!missing.equals(told)) {
                    listener.accept(new StartEvent.Waiting(missing));
                    told = missing;
                }
                if (clock.instant().isAfter(deadline)) {
                    throw new ProblemException(List.of(late(missing)));
                }
                changed.await(RETRY);
                missing = missing(observer.observe());
            }
        }
        Instant now = clock.instant();
        listener.accept(new StartEvent.Reached(Milestone.KEPT, now, Duration.between(startBegan, now)));
        apply(steward);
    }

    private List<String> missing(Evidence<List<SelfHostedWorkload>> observed) {
        List<String> missing = new ArrayList<>();
        switch (observed) {
            case Evidence.Unknown<List<SelfHostedWorkload>>(String reason) -> missing.add("the keeper: " + reason);
            case Evidence.Known<List<SelfHostedWorkload>>(List<SelfHostedWorkload> workloads) ->
                workloads.stream()
                        .filter(workload -> !workload.isReady())
                        .forEach(workload -> missing.add("the keeper: " + workload.ready() + " of " + workload.desired()
                                + " ready" + (workload.detail().isEmpty() ? "" : " (" + workload.detail() + ")")));
        }
        missing.addAll(files.missing());
        return missing;
    }

    private Problem late(List<String> missing) {
        return new Problem(
                ErrorCode.TIMEOUT,
                "keeper",
                "the cluster serves, but would not survive a power cut: after " + patience.toSeconds()
                        + " s start still waits for " + String.join("; ", missing),
                "",
                "kubectl -n kube-system logs daemonset/ouroboros-keeper says why; then run the same command again");
    }
}
