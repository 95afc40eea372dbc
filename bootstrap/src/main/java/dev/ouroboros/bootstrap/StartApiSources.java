package dev.ouroboros.bootstrap;

import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.bootstrap.decide.PivotObservation.Acceptance;
import dev.ouroboros.bootstrap.decide.PivotObservation.Applied;
import dev.ouroboros.cluster.AcceptanceCheck;
import dev.ouroboros.cluster.Applier;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.FollowedCollections;
import dev.ouroboros.cluster.FormerLife;
import dev.ouroboros.cluster.LeftOutParts;
import dev.ouroboros.cluster.NodeRegistration;
import dev.ouroboros.cluster.OutdatedPods;
import dev.ouroboros.cluster.TemporaryLeaders;
import dev.ouroboros.cluster.WorkloadObserver;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.NodeView;
import dev.ouroboros.model.start.SelfHostedWorkload;
import dev.ouroboros.node.action.Wakeup;
import dev.ouroboros.render.manifest.ManifestSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What can be seen and done through the API: everything is unknown until an API server answers for the first time. */
final class StartApiSources implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StartApiSources.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private static final WorkloadReference API_SERVER =
            new WorkloadReference("DaemonSet", "kube-system", Component.API_SERVER.id());

    private final Wakeup changed;
    private final Wakeup lookAgain = new Wakeup();
    private final ClusterClient client;
    private final Applier applier;
    private final ManifestSet manifests;
    private final Optional<ManifestSet> whole;
    private final List<WorkloadReference> required;
    private final NodeRegistration node;
    private final KubernetesServiceEndpoints service;
    private final TemporaryLeaders leaders;
    private final FormerLife former;
    private final Runnable formerPodsDeleted;
    private final Duration acceptanceLimit;
    private final AtomicReference<Optional<WorkloadObserver>> workloads = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<Thread>> thread = new AtomicReference<>(Optional.empty());

    private final AtomicReference<Evidence<Applied>> applied =
            new AtomicReference<>(Evidence.unknown("not applied yet"));
    private final AtomicReference<Evidence<Applied>> workloadsApplied =
            new AtomicReference<>(Evidence.unknown("not applied yet"));
    private final AtomicReference<Evidence<Acceptance>> acceptance =
            new AtomicReference<>(Evidence.unknown("not run yet"));
    private final AtomicReference<Small> small = new AtomicReference<>(Small.unknown());

    /**
     * Nothing is asked yet.
     *
     * @param manifests that are to be applied
     * @param whole all that the cluster is to have; empty where the asset directory does not say so, as one that was recovered, which has only what serves
     */
    StartApiSources(
            Wakeup changed,
            ClusterClient client,
            Applier applier,
            ManifestSet manifests,
            Optional<ManifestSet> whole,
            List<WorkloadReference> required,
            NodeRegistration node,
            KubernetesServiceEndpoints service,
            TemporaryLeaders leaders,
            FormerLife former,
            Runnable formerPodsDeleted,
            Duration acceptanceLimit) {
        this.changed = changed;
        this.client = client;
        this.applier = applier;
        this.manifests = manifests;
        this.whole = whole;
        this.required = required;
        this.node = node;
        this.service = service;
        this.leaders = leaders;
        this.former = former;
        this.formerPodsDeleted = formerPodsDeleted;
        this.acceptanceLimit = acceptanceLimit;
    }

    /** Begins to look, once; called when an API server answers. */
    void startOnce() {
        if (workloads.get().isEmpty()) {
            workloads.set(Optional.of(new WorkloadObserver(client, required, node.name(), former, changed::raise)));
            thread.set(Optional.of(Thread.ofVirtual().name("observe-api").start(this::lookRepeatedly)));
        }
    }

    /** What was read may be old: an API server went away or came, and with it the watches. */
    void lookAgain() {
        lookAgain.raise();
    }

    /**
     * Reads the single objects when a watch tells that one of them changed. No decision uses the objects of a watch themselves:
     * they come later than what {@link #refresh} reads after an action.
     */
    private void lookRepeatedly() {
        while (!Thread.currentThread().isInterrupted()) {
            try (FollowedCollections followed = new FollowedCollections(client, lookAgain::raise)) {
                node.follow(followed);
                leaders.follow(followed);
                followed.follow(
                        "endpoints", KubernetesServiceEndpoints.endpointsOnly(), object -> object.at("subsets"));
                followed.follow(
                        "endpointslice",
                        client.asking("the version of EndpointSlice", service::sliceOnly),
                        slice -> List.of(slice.at("endpoints"), slice.at("ports")));
                lookWhenTold();
            } catch (ProblemException e) {
                LOG.warn("watching the API failed, and is tried again: {}", e.describe());
                waitFor(Optional.of(RETRY));
            }
        }
    }

    private void lookWhenTold() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                refresh();
            } catch (RuntimeException e) {
                small.set(Small.unknown());
                LOG.warn("observing the API failed: {}", e.toString());
            }
            waitFor(small.get().isComplete() ? Optional.empty() : Optional.of(RETRY));
        }
    }

    private void waitFor(Optional<Duration> longest) {
        try {
            if (longest.isPresent()) {
                lookAgain.await(longest.get());
            } else {
                lookAgain.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads the few single objects now: called after an action changed one. */
    void refresh() {
        Small before = small.get();
        Small now = new Small(
                node.observe(), client.looking("Endpoints default/kubernetes", service::areRight), leaders.leading());
        small.set(now);
        if (!now.equals(before)) {
            changed.raise();
        }
    }

    /**
     * Nodes and pods of a former life go before any kubelet can join and run them. The Leases of that life are released last, so that the
     * controllers find the present templates, not those of the snapshot.
     */
    void applyManifests() {
        node.deleteFormer()
                .forEach(name ->
                        LOG.info("deleted the Node {}: another control-plane node from before the restore", name));
        former.deletePods(client);
        formerPodsDeleted.run();
        ManifestSet objects = former.was() ? manifests : manifests.withoutWorkloads();
        apply(objects, applied, () -> former.releaseLeases(client));
    }

    /** The others count as missing. Where it has another name, all are applied. */
    void applyApiServer() {
        ManifestSet first = manifests.workloads().of(Component.API_SERVER);
        if (first.size() == 0) {
            applyWorkloads();
            return;
        }
        applier.apply(first.json(), _ -> {});
        workloadsApplied.set(
                Evidence.known(new Applied(first.size(), manifests.workloads().size())));
        changed.raise();
    }

    void applyWorkloads() {
        apply(manifests.workloads(), workloadsApplied, () -> whole.ifPresent(this::deleteLeftOutParts));
    }

    private void deleteLeftOutParts(ManifestSet all) {
        LeftOutParts.delete(client, all.json())
                .forEach(part -> LOG.info("deleted {}, which the manifests do not have any more", part.path()));
    }

    /** @param last the last step: before it is done, nothing counts as applied in full */
    private void apply(ManifestSet objects, AtomicReference<Evidence<Applied>> result, Runnable last) {
        int total = objects.size();
        applier.apply(objects.json(), done -> {
            if (done < total) {
                result.set(Evidence.known(new Applied(done, total)));
                changed.raise();
            }
        });
        last.run();
        result.set(Evidence.known(new Applied(total, total)));
    }

    void deleteOutdatedApiServer() {
        OutdatedPods.delete(client, API_SERVER, node.name())
                .forEach(pod -> LOG.info("deleted the pod kube-system/{}", pod));
    }

    void labelNode() {
        node.admit();
    }

    void writeServiceEndpoints() {
        client.changing("write Endpoints default/kubernetes", service::write);
    }

    void releaseLease(Component component) {
        leaders.release(component);
    }

    void runAcceptance() {
        acceptance.set(Evidence.known(new Acceptance.Running()));
        Optional<Problem> problem = new AcceptanceCheck(client, acceptanceLimit).run();
        acceptance.set(
                Evidence.known(problem.isPresent() ? new Acceptance.Failed(problem.get()) : new Acceptance.Passed()));
    }

    Evidence<Applied> applied() {
        return applied.get();
    }

    Evidence<Applied> workloadsApplied() {
        return workloadsApplied.get();
    }

    Evidence<Acceptance> acceptance() {
        return acceptance.get();
    }

    Evidence<List<SelfHostedWorkload>> workloads() {
        return workloads
                .get()
                .map(WorkloadObserver::observe)
                .orElseGet(() -> Evidence.unknown("no API server has answered yet"));
    }

    Small small() {
        return small.get();
    }

    @Override
    public void close() {
        thread.get().ifPresent(Thread::interrupt);
        workloads.get().ifPresent(WorkloadObserver::close);
    }

    /** Single objects, read together. */
    record Small(Evidence<NodeView> node, Evidence<Boolean> serviceEndpoints, Evidence<List<Component>> stale) {
        boolean isComplete() {
            return node instanceof Known && serviceEndpoints instanceof Known && stale instanceof Known;
        }

        static Small unknown() {
            return new Small(
                    Evidence.unknown("not read yet"),
                    Evidence.unknown("not read yet"),
                    Evidence.unknown("not read yet"));
        }
    }
}
