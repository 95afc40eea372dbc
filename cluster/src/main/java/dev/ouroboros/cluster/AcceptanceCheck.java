package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.Watch;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries what a user needs of a cluster through the final endpoint: read, write, watch, a scheduled pod that runs, its logs.
 * "Running" and "Ready" of the components are too early or too weak as a test of success (bootkube#1030, #1035, #1037).
 *
 * <p>The pod runs the scheduler's own image, which is on the node already, and prints its version.
 */
public final class AcceptanceCheck {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptanceCheck.class);
    private static final Set<Kind> PASSING = Set.of(Kind.UNREACHABLE, Kind.TIMEOUT, Kind.SERVER_ERROR, Kind.THROTTLED);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);
    private static final String NAMESPACE = "kube-system";
    private static final String NAME = "ouroboros-acceptance";
    private static final String EXPECTED_OUTPUT = "Kubernetes v";
    private static final ApiPath MAPS = ApiPath.core(NAMESPACE, "configmaps");
    private static final ApiPath PODS = ApiPath.core(NAMESPACE, "pods");
    private static final Json DATA = Json.object().with("written-by", Json.text("ouro start"));

    private final ClusterClient client;
    private final Duration timeout;

    public AcceptanceCheck(ClusterClient client, Duration timeout) {
        this.client = client;
        this.timeout = timeout;
    }

    /**
     * Runs the check and removes what it made.
     *
     * @return what does not work, or empty
     */
    public Optional<Problem> run() {
        try {
            removeLeftovers();
            writeReadAndWatch();
            runPodAndReadItsLogs();
            return Optional.empty();
        } catch (ApiException e) {
            return Optional.of(ClusterClient.problem("acceptance check", e));
        } catch (ProblemException e) {
            return Optional.of(e.problems().getFirst());
        } finally {
            removeAfterwards();
        }
    }

    private void writeReadAndWatch() throws ApiException {
        Deadline deadline = new Deadline(timeout);
        try (Watch begunBefore = patiently(this::watch)) {
            create(MAPS, named("v1", "ConfigMap").with("data", DATA));
            Json read = patiently(() -> client.api().get(MAPS.named(NAME)));
            if (!read.at("data").equals(DATA)) {
                throw failed("reading what was just written", "found " + read);
            }
            boolean reported = reportsTheMap(begunBefore);
            // A watch ends when its server does.
            while (!reported && !deadline.isOver()) {
                deadline.pause();
                try (Watch again = patiently(this::watch)) {
                    reported = reportsTheMap(again);
                }
            }
            if (!reported) {
                throw failed(
                        "watching", "the watch did not report an object created " + timeout.toSeconds() + " s ago");
            }
        }
    }

    /** Without a version a watch begins with the objects that exist. */
    private Watch watch() throws ApiException {
        return client.api().watch(MAPS.with("fieldSelector", "metadata.name=" + NAME), "", timeout, timeout);
    }

    /** Whether the watch told of the ConfigMap before it ended. */
    private static boolean reportsTheMap(Watch watch) throws ApiException {
        try {
            for (Optional<Watch.Event> event = watch.next(); event.isPresent(); event = watch.next()) {
                if (event.get() instanceof Watch.Event.Put(Json object)
                        && Metadata.name(object).equals(NAME)) {
                    return true;
                }
            }
            return false;
        } catch (ApiException e) {
            if (!PASSING.contains(e.kind())) {
                throw e;
            }
            LOG.debug("the watch of the acceptance check ended: {}", e.getMessage());
            return false;
        }
    }

    private void runPodAndReadItsLogs() throws ApiException {
        WorkloadReference scheduler = new WorkloadReference("Deployment", NAMESPACE, Component.SCHEDULER.id());
        Json deployment = read(Workloads.path(scheduler))
                .orElseThrow(() -> failed("finding an image to run", "there is no Deployment " + scheduler.path()));
        String image = deployment.at("spec", "template", "spec", "containers").items().stream()
                .flatMap(container -> container.at("image").text().stream())
                .findFirst()
                .orElseThrow(() -> failed("finding an image to run", scheduler.path() + " names none"));
        create(PODS, pod(image));
        String phase = phaseInWhichItEnded();
        String logs = patiently(() -> client.api().text(PODS.named(NAME + "/log")));
        if (!phase.equals("Succeeded") || !logs.contains(EXPECTED_OUTPUT)) {
            throw failed("running a pod", "it ended as " + phase + " and said: " + logs.strip());
        }
    }

    private String phaseInWhichItEnded() throws ApiException {
        Deadline deadline = new Deadline(timeout);
        while (true) {
            String phase = read(PODS.named(NAME))
                    .flatMap(pod -> pod.at("status", "phase").text())
                    .orElse("");
            if (phase.equals("Succeeded") || phase.equals("Failed")) {
                return phase;
            }
            if (deadline.isOver()) {
                throw failed(
                        "running a pod",
                        "it has not ended after " + timeout.toSeconds() + " s, and is "
                                + (phase.isEmpty() ? "gone" : phase));
            }
            deadline.pause();
        }
    }

    private static Json.Fields named(String apiVersion, String kind) {
        return Json.object()
                .with("apiVersion", Json.text(apiVersion))
                .with("kind", Json.text(kind))
                .with("metadata", Json.object().with("name", Json.text(NAME)).with("namespace", Json.text(NAMESPACE)));
    }

    private static Json pod(String image) {
        Json container = Json.object()
                .with("name", Json.text("version"))
                .with("image", Json.text(image))
                .with("imagePullPolicy", Json.text("IfNotPresent"))
                .with("command", Json.texts(List.of(Component.SCHEDULER.id(), "--version")));
        return named("v1", "Pod")
                .with(
                        "spec",
                        Json.object()
                                .with("restartPolicy", Json.text("Never"))
                                .with("terminationGracePeriodSeconds", Json.number(0))
                                .with("automountServiceAccountToken", Json.bool(false))
                                .with(
                                        "tolerations",
                                        Json.items(Stream.of(Json.object().with("operator", Json.text("Exists")))))
                                .with("containers", Json.items(Stream.of(container))));
    }

    /** Repeats a request that fails for a passing reason: servers of a control plane that has just begun may be slow, or not all there. */
    private <T> T patiently(ClusterClient.Request<T> request) throws ApiException {
        Deadline deadline = new Deadline(timeout);
        while (true) {
            try {
                return request.send();
            } catch (ApiException e) {
                if (!PASSING.contains(e.kind()) || deadline.isOver()) {
                    throw e;
                }
                LOG.debug("the acceptance check asks again: {}", e.getMessage());
            }
            deadline.pause();
        }
    }

    /** Creates an object. One that exists already is from a write whose answer was lost: leftovers were removed before. */
    private void create(ApiPath collection, Json object) throws ApiException {
        patiently(() -> {
            try {
                return client.api().create(collection, object);
            } catch (ApiException e) {
                if (e.kind() == Kind.CONFLICT) {
                    return object;
                }
                throw e;
            }
        });
    }

    private Optional<Json> read(ApiPath path) throws ApiException {
        return patiently(() -> client.api().find(path));
    }

    /** Removes what an earlier check that was killed has left: its pod must be gone before there can be another one of its name. */
    private void removeLeftovers() throws ApiException {
        remove();
        Deadline deadline = new Deadline(timeout);
        while (read(PODS.named(NAME)).isPresent()) {
            if (deadline.isOver()) {
                throw failed("removing an earlier one", "its pod is still there after " + timeout.toSeconds() + " s");
            }
            deadline.pause();
        }
    }

    private void removeAfterwards() {
        try {
            remove();
        } catch (ApiException e) {
            LOG.warn("{} and its ConfigMap in {} could not be removed: {}", NAME, NAMESPACE, e.getMessage());
        }
    }

    private void remove() throws ApiException {
        for (ApiPath path : List.of(MAPS.named(NAME), PODS.named(NAME))) {
            Optional<Json> there = read(path);
            if (there.isPresent()) {
                patiently(() -> client.deleteIfThere(path, Metadata.uid(there.get()), Grace.NONE));
            }
        }
    }

    private static ProblemException failed(String operation, String what) {
        return ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                "acceptance check, " + operation,
                what,
                "",
                "look at the pods in kube-system");
    }

    /** The time for one step. */
    private static final class Deadline {
        private final long end;

        Deadline(Duration time) {
            this.end = System.nanoTime() + time.toNanos();
        }

        boolean isOver() {
            return System.nanoTime() - end > 0;
        }

        void pause() {
            try {
                Thread.sleep(LOOK_AGAIN);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw failed("waiting", "it was interrupted");
            }
        }
    }
}
