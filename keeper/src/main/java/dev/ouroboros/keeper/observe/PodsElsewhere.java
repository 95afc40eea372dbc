package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.runtime.ContainerRuntime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Pods on other nodes of leaders that have a checkpoint here and no living pod: their template may have changed since this node had one. They are asked for
 * by their labels every {@link #READ_EVERY}, and only while there is such a checkpoint: nobody watches pods of other nodes.
 */
final class PodsElsewhere {
    private static final Duration READ_EVERY = Duration.ofSeconds(30);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final Api client;
    private final ClusterGuard guard;
    private final Supplier<Evidence<SortedMap<String, ControllerSeen>>> deployments;
    private final ContainerRuntime runtime;
    private final Function<ComponentName, Set<String>> archived;
    private final InstantSource clock;
    private final PolledReads<ComponentName, Read> reads;

    private record Read(Evidence<PodSummary> content, Instant due) implements PolledReads.Read {}

    /**
     * @param deployments of kube-system, by name
     * @param archived images that the node keeps for a component's checkpoint, whether the runtime has them or not
     */
    PodsElsewhere(
            Api client,
            ClusterGuard guard,
            Supplier<Evidence<SortedMap<String, ControllerSeen>>> deployments,
            ContainerRuntime runtime,
            Function<ComponentName, Set<String>> archived,
            InstantSource clock,
            Signal changed) {
        this.client = client;
        this.guard = guard;
        this.deployments = deployments;
        this.runtime = runtime;
        this.archived = archived;
        this.clock = clock;
        this.reads = new PolledReads<>(this::read, clock, changed);
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("pods-elsewhere", this::look);
    }

    /** Pods of only these are read from now on. */
    void want(Set<ComponentName> components) {
        reads.want(components);
    }

    Duration look() {
        return reads.look();
    }

    /** What was read before counts while the API does not answer: a pod that is gone meanwhile is nobody's that leads. */
    private Read read(ComponentName component, Optional<Read> last) {
        Instant soon = clock.instant().plus(RETRY_AFTER);
        try {
            guard.require();
            return switch (deployments.get()) {
                case Evidence.Unknown<SortedMap<String, ControllerSeen>>(String why) -> later(why, last, soon);
                case Evidence.Known<SortedMap<String, ControllerSeen>>(var all) ->
                    new Read(
                            podOf(component, Optional.ofNullable(all.get(component.toString()))),
                            clock.instant().plus(READ_EVERY));
            };
        } catch (ApiException e) {
            return later(
                    "pods of " + component + ": " + e.getMessage(),
                    last,
                    clock.instant().plus(e.pause(RETRY_AFTER)));
        } catch (ProblemException e) {
            return later("images of " + component + ": " + e.getMessage(), last, soon);
        }
    }

    private static Read later(String why, Optional<Read> last, Instant due) {
        return new Read(last.map(Read::content).orElseGet(() -> Evidence.unknown(why)), due);
    }

    /** From the server's memory: a list that is up to date would be one of all pods of the namespace, read from etcd. */
    private Evidence<PodSummary> podOf(ComponentName component, Optional<ControllerSeen> deployment)
            throws ApiException {
        String labels = deployment.map(ControllerSeen::podSelector).orElse("");
        if (labels.isEmpty()) {
            return Evidence.unknown("no Deployment " + component + " says by labels which pods are its own");
        }
        Json list = client.get(ApiPath.core(component.namespace(), "pods")
                .with("labelSelector", labels)
                .with("resourceVersion", "0"));
        return choose(
                component,
                list.at("items").items().stream()
                        .map(PodSummary::of)
                        .filter(pod -> pod.identity().component().equals(component)
                                && !pod.identity().isStatic()
                                && pod.object().isPresent()
                                && pod.pod().isAlive())
                        .toList());
    }

    /** While pods of two templates live it is not known which of them leads. */
    private Evidence<PodSummary> choose(ComponentName component, List<PodSummary> living) {
        if (living.stream().map(PodsElsewhere::templateOf).distinct().count() > 1) {
            return Evidence.unknown("pods of two templates of " + component + " live");
        }
        Optional<PodSummary> youngest =
                living.stream().filter(pod -> pod.pod().ready()).max(PodSummary.BY_AGE);
        if (youngest.isEmpty()) {
            return Evidence.unknown("no pod of " + component + " is ready on another node");
        }
        Set<String> kept = archived.apply(component);
        Optional<String> missing = Checkpoint.imagesOf(youngest.get().object().orElseThrow()).stream()
                .filter(image -> !kept.contains(image) && !runtime.hasImage(image))
                .findFirst();
        return missing.isPresent()
                ? Evidence.unknown(
                        "this node has no image " + missing.get() + ", which " + component + " runs elsewhere")
                : Evidence.known(youngest.get());
    }

    private static String templateOf(PodSummary pod) {
        return pod.object()
                .orElseThrow()
                .at("metadata", "labels", "pod-template-hash")
                .text()
                .orElse("");
    }

    /** The youngest pod of a component that is ready; known only where this node has its images. */
    Evidence<PodSummary> of(ComponentName component) {
        return reads.latest(component)
                .map(Read::content)
                .orElseGet(() -> Evidence.unknown("pods of " + component + " are not asked for"));
    }

    /** The pods that are known, of the wanted components. */
    List<PodSummary> known() {
        List<PodSummary> known = new ArrayList<>();
        for (Read read : reads.all().values()) {
            if (read.content() instanceof Evidence.Known<PodSummary>(PodSummary pod)) {
                known.add(pod);
            }
        }
        return known;
    }

    /** What is known of the pod of each wanted component, or why it is not. */
    Map<String, Evidence<?>> all() {
        return reads.contents(component -> "pod elsewhere of " + component);
    }
}
