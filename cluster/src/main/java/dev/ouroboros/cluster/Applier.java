package dev.ouroboros.cluster;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies a {@link ManifestSet} with server-side apply (KEP-555). Idempotent: what is in place stays as it is.
 *
 * <p>An object of which somebody else has set a field to another value since (a conflict) stays as it is: {@code start} on a
 * living cluster must not undo a change made with kubectl.
 */
public final class Applier {
    private static final Logger LOG = LoggerFactory.getLogger(Applier.class);
    private static final Duration CRD_TIMEOUT = Duration.ofSeconds(60);
    private static final int PARALLEL_REQUESTS = 8;

    private final ClusterClient client;
    private final Set<String> owned;

    public Applier(ClusterClient client) {
        this(client, Set.of());
    }

    /**
     * One that does not leave some objects to whoever has set their fields.
     *
     * @param owned those objects, as in {@code DaemonSet kube-system/kube-apiserver}
     */
    public Applier(ClusterClient client, Set<String> owned) {
        this.client = client;
        this.owned = Set.copyOf(owned);
    }

    /**
     * Applies every object; those of one stage in parallel, a stage after the one before it. CustomResourceDefinitions are served
     * before the next stage begins.
     *
     * @param progress called with the number of objects in place, from any thread
     * @throws ProblemException API_REFUSED when the server refuses objects for good (all of them are named), API_UNAVAILABLE when
     *     it cannot be reached: apply again
     */
    public void apply(ManifestSet manifests, IntConsumer progress) {
        AtomicInteger done = new AtomicInteger();
        for (List<GenericKubernetesResource> stage : stages(manifests)) {
            List<Problem> problems = applyStage(stage, () -> progress.accept(done.incrementAndGet()));
            if (!problems.isEmpty()) {
                throw new ProblemException(problems);
            }
            stage.stream()
                    .filter(object -> object.getKind().equals("CustomResourceDefinition"))
                    .forEach(this::awaitServed);
        }
    }

    private static List<List<GenericKubernetesResource>> stages(ManifestSet manifests) {
        List<GenericKubernetesResource> first = new ArrayList<>();
        List<GenericKubernetesResource> second = new ArrayList<>();
        List<GenericKubernetesResource> rest = new ArrayList<>();
        for (GenericKubernetesResource object : manifests.objects()) {
            switch (object.getKind()) {
                case "Namespace" -> first.add(object);
                case "CustomResourceDefinition" -> second.add(object);
                default -> rest.add(object);
            }
        }
        return List.of(first, second, rest);
    }

    private List<Problem> applyStage(List<GenericKubernetesResource> stage, Runnable applied) {
        try (ExecutorService workers = Executors.newFixedThreadPool(
                PARALLEL_REQUESTS, Thread.ofVirtual().name("apply-", 0).factory())) {
            List<Future<Optional<Problem>>> results = new ArrayList<>();
            for (GenericKubernetesResource object : stage) {
                Callable<Optional<Problem>> task = () -> {
                    Optional<Problem> problem = applyOne(object);
                    if (problem.isEmpty()) {
                        applied.run();
                    }
                    return problem;
                };
                results.add(workers.submit(task));
            }
            List<Problem> problems = new ArrayList<>();
            for (Future<Optional<Problem>> result : results) {
                await(result).ifPresent(problems::add);
            }
            return problems;
        }
    }

    private static Optional<Problem> await(Future<Optional<Problem>> result) {
        try {
            return result.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(ErrorCode.TIMEOUT, "apply", "interrupted", "", "run the same command again");
        } catch (ExecutionException e) {
            throw new IllegalStateException("applying a manifest", e.getCause());
        }
    }

    private Optional<Problem> applyOne(GenericKubernetesResource object) {
        String name = describe(object);
        try {
            var resource = client.api().resource(object).fieldManager(ClusterClient.FIELD_MANAGER);
            if (owned.contains(name)) {
                resource.forceConflicts().serverSideApply();
            } else {
                resource.serverSideApply();
            }
            return Optional.empty();
        } catch (KubernetesClientException e) {
            if (isHeldByOthers(e)) {
                LOG.warn("{}: left as it is, somebody else has set its fields: {}", name, e.getMessage());
                return Optional.empty();
            }
            if (isImmutableAndThere(object, e)) {
                return Optional.empty();
            }
            return Optional.of(client.problem(name, e));
        }
    }

    /** A server-side apply conflict; another 409 is a race, and is tried again. */
    private static boolean isHeldByOthers(KubernetesClientException e) {
        return e.getCode() == HttpURLConnection.HTTP_CONFLICT
                && e.getStatus() != null
                && e.getStatus().getDetails() != null
                && e.getStatus().getDetails().getCauses().stream()
                        .anyMatch(cause -> "FieldManagerConflict".equals(cause.getReason()));
    }

    /** An immutable Secret or ConfigMap of the same hash-carrying name has the same content. */
    private boolean isImmutableAndThere(GenericKubernetesResource object, KubernetesClientException e) {
        return e.getCode() == 422
                && Boolean.TRUE.equals(object.getAdditionalProperties().get("immutable"))
                && client.api().resource(object).get() != null;
    }

    private void awaitServed(GenericKubernetesResource definition) {
        client.asking(
                describe(definition) + " to be served",
                () -> client.api()
                        .resource(definition)
                        .waitUntilCondition(Applier::isEstablished, CRD_TIMEOUT.toSeconds(), TimeUnit.SECONDS));
    }

    private static boolean isEstablished(GenericKubernetesResource definition) {
        if (definition == null || !(definition.get("status", "conditions") instanceof List<?> conditions)) {
            return false;
        }
        return conditions.stream()
                .anyMatch(condition -> condition instanceof Map<?, ?> fields
                        && "Established".equals(fields.get("type"))
                        && "True".equals(fields.get("status")));
    }

    private static String describe(GenericKubernetesResource object) {
        String namespace = object.getMetadata().getNamespace();
        return object.getKind() + " " + (namespace == null ? "" : namespace + "/")
                + object.getMetadata().getName();
    }
}
