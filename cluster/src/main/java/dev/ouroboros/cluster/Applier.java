package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.PatchType;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the objects of manifests with server-side apply (KEP-555). Idempotent: what is in place stays as it is.
 *
 * <p>An object of which somebody else has set a field to another value since (a conflict) stays as it is: {@code start} on a
 * living cluster must not undo a change made with kubectl.
 */
public final class Applier {
    private static final Logger LOG = LoggerFactory.getLogger(Applier.class);
    private static final Duration CRD_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration CRD_LOOK = Duration.ofMillis(200);
    private static final int UNPROCESSABLE = 422;
    private static final int PARALLEL_REQUESTS = 8;

    private final ClusterClient client;
    private final ObjectPaths paths;
    private final Set<String> owned;
    /** Objects that this applier has put in place. Where one of many requests timed out, the others are not sent again. */
    private final Set<Json> inPlace = ConcurrentHashMap.newKeySet();

    public Applier(ClusterClient client) {
        this(client, Set.of());
    }

    /**
     * An applier that sets the fields of some objects even where somebody else has set them.
     *
     * @param owned those objects, as in {@code DaemonSet kube-system/kube-apiserver}
     */
    public Applier(ClusterClient client, Set<String> owned) {
        this.client = client;
        this.paths = new ObjectPaths(client.api());
        this.owned = Set.copyOf(owned);
    }

    /**
     * Applies every object that this applier has not applied yet; those of one stage in parallel, a stage after the one before it.
     * CustomResourceDefinitions are served before the next stage begins.
     *
     * @param objects all that the cluster is to have
     * @param progress called with the number of objects in place, from any thread
     * @throws ProblemException API_REFUSED when the server refuses objects for good (all of them are named), API_UNAVAILABLE when it cannot be
     * reached: apply again
     */
    public void apply(List<Json> objects, IntConsumer progress) {
        AtomicInteger done = new AtomicInteger();
        for (List<Json> stage : stages(objects)) {
            List<Problem> problems = applyStage(stage, () -> progress.accept(done.incrementAndGet()));
            if (!problems.isEmpty()) {
                throw new ProblemException(problems);
            }
            stage.stream()
                    .filter(object -> kind(object).equals("CustomResourceDefinition"))
                    .forEach(this::awaitServed);
        }
    }

    private static List<List<Json>> stages(List<Json> objects) {
        List<Json> first = new ArrayList<>();
        List<Json> second = new ArrayList<>();
        List<Json> rest = new ArrayList<>();
        for (Json object : objects) {
            switch (kind(object)) {
                case "Namespace" -> first.add(object);
                case "CustomResourceDefinition" -> second.add(object);
                default -> rest.add(object);
            }
        }
        return List.of(first, second, rest);
    }

    private List<Problem> applyStage(List<Json> stage, Runnable applied) {
        try (ExecutorService workers = Executors.newFixedThreadPool(
                PARALLEL_REQUESTS, Thread.ofVirtual().name("apply-", 0).factory())) {
            List<Future<Optional<Problem>>> results = new ArrayList<>();
            for (Json object : stage) {
                Callable<Optional<Problem>> task = () -> {
                    Optional<Problem> problem = inPlace.contains(object) ? Optional.empty() : applyOne(object);
                    if (problem.isEmpty()) {
                        remember(object);
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

    /** A namespace or a CustomResourceDefinition is not remembered: it may be deleted before its objects are applied, and is sent again. */
    private void remember(Json object) {
        if (!Set.of("Namespace", "CustomResourceDefinition").contains(kind(object))) {
            inPlace.add(object);
        }
    }

    private static Optional<Problem> await(Future<Optional<Problem>> result) {
        try {
            return result.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted();
        } catch (ExecutionException e) {
            throw new IllegalStateException("applying a manifest", e.getCause());
        }
    }

    private static ProblemException interrupted() {
        return ProblemException.of(ErrorCode.TIMEOUT, "apply", "interrupted", "", "run the same command again");
    }

    private Optional<Problem> applyOne(Json object) {
        String name = describe(object);
        try {
            ApiPath path = paths.of(object)
                    .with("fieldManager", ClusterClient.FIELD_MANAGER)
                    .with("force", Boolean.toString(owned.contains(name)));
            client.api().patch(path, PatchType.APPLY, object);
            return Optional.empty();
        } catch (ApiException e) {
            if (isHeldByOthers(e)) {
                LOG.warn("{}: left as it is, somebody else has set its fields: {}", name, e.getMessage());
                return Optional.empty();
            }
            if (isImmutableAndThere(object, e)) {
                return Optional.empty();
            }
            return Optional.of(ClusterClient.problem(name, e));
        }
    }

    /** Whether it is a conflict of server-side apply; another 409 is a race, and the request is repeated. */
    private static boolean isHeldByOthers(ApiException e) {
        return e.kind() == Kind.CONFLICT
                && e.refusal().stream()
                        .flatMap(refusal -> refusal.status().at("details", "causes").items().stream())
                        .anyMatch(cause -> cause.at("reason").equals(Json.text("FieldManagerConflict")));
    }

    /** An immutable Secret or ConfigMap of the same hash-carrying name has the same content. */
    private boolean isImmutableAndThere(Json object, ApiException refused) {
        boolean invalid = refused.refusal()
                .filter(refusal -> refusal.code() == UNPROCESSABLE)
                .isPresent();
        return invalid
                && object.at("immutable").isTrue()
                && client.looking(describe(object), () -> client.api().get(paths.of(object)))
                        .is(_ -> true);
    }

    private void awaitServed(Json definition) {
        String about = describe(definition) + " to be served";
        long deadline = System.nanoTime() + CRD_TIMEOUT.toNanos();
        while (!client.asking(about, () -> isEstablished(client.api().get(paths.of(definition))))) {
            if (System.nanoTime() - deadline > 0) {
                throw ProblemException.of(
                        ErrorCode.API_UNAVAILABLE,
                        about,
                        "it is not after " + CRD_TIMEOUT.toSeconds() + " s",
                        "",
                        "kubectl describe it, and run the same command again");
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(CRD_LOOK);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted();
        }
    }

    private static boolean isEstablished(Json definition) {
        return definition.at("status", "conditions").items().stream()
                .anyMatch(condition -> condition.at("type").equals(Json.text("Established"))
                        && condition.at("status").equals(Json.text("True")));
    }

    private static String describe(Json object) {
        String namespace = Metadata.namespace(object);
        return kind(object) + " " + (namespace.isEmpty() ? "" : namespace + "/") + Metadata.name(object);
    }

    private static String kind(Json object) {
        return object.at("kind").text().orElse("");
    }
}
