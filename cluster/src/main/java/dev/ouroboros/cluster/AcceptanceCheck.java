package dev.ouroboros.cluster;

import dev.ouroboros.core.component.Component;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    private static final String NAMESPACE = "kube-system";
    private static final String NAME = "ouroboros-acceptance";
    private static final String EXPECTED_OUTPUT = "Kubernetes v";

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
        } catch (KubernetesClientException e) {
            return Optional.of(client.problem("acceptance check", e));
        } catch (ProblemException e) {
            return Optional.of(e.problems().getFirst());
        } finally {
            removeAfterwards();
        }
    }

    private void writeReadAndWatch() {
        CountDownLatch seen = new CountDownLatch(1);
        Watcher<ConfigMap> watcher = new Watcher<>() {
            @Override
            public void eventReceived(Action action, ConfigMap configMap) {
                if (action == Action.ADDED
                        && NAME.equals(configMap.getMetadata().getName())) {
                    seen.countDown();
                }
            }

            @Override
            public void onClose(WatcherException cause) {
                LOG.debug("watch of the acceptance check ended: {}", cause.getMessage());
            }
        };
        try (Watch _ =
                client.api().configMaps().inNamespace(NAMESPACE).withName(NAME).watch(watcher)) {
            client.api().resource(configMap()).create();
            ConfigMap read = client.api()
                    .configMaps()
                    .inNamespace(NAMESPACE)
                    .withName(NAME)
                    .get();
            if (read == null || !configMap().getData().equals(read.getData())) {
                throw failed("reading what was just written", "found " + read);
            }
            if (!await(seen)) {
                throw failed(
                        "watching", "the watch did not report an object created " + timeout.toSeconds() + " s ago");
            }
        }
    }

    private static ConfigMap configMap() {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .addToData("written-by", "ouro start")
                .build();
    }

    private void runPodAndReadItsLogs() {
        var deployment = client.api()
                .apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName(Component.SCHEDULER.id())
                .get();
        if (deployment == null) {
            throw failed("finding an image to run", "there is no Deployment kube-system/kube-scheduler");
        }
        var container =
                deployment.getSpec().getTemplate().getSpec().getContainers().getFirst();
        client.api().resource(pod(container.getImage())).create();
        Pod ended = client.api()
                .pods()
                .inNamespace(NAMESPACE)
                .withName(NAME)
                .waitUntilCondition(AcceptanceCheck::hasEnded, timeout.toMillis(), TimeUnit.MILLISECONDS);
        String logs = client.api().pods().inNamespace(NAMESPACE).withName(NAME).getLog();
        if (!"Succeeded".equals(ended.getStatus().getPhase()) || !logs.contains(EXPECTED_OUTPUT)) {
            throw failed("running a pod", "it ended as " + ended.getStatus().getPhase() + " and said: " + logs.strip());
        }
    }

    private static boolean hasEnded(Pod pod) {
        return pod != null
                && pod.getStatus() != null
                && ("Succeeded".equals(pod.getStatus().getPhase())
                        || "Failed".equals(pod.getStatus().getPhase()));
    }

    private static Pod pod(String image) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withTerminationGracePeriodSeconds(0L)
                .withAutomountServiceAccountToken(false)
                .addNewToleration()
                .withOperator("Exists")
                .endToleration()
                .addNewContainer()
                .withName("version")
                .withImage(image)
                .withImagePullPolicy("IfNotPresent")
                .withCommand(Component.SCHEDULER.id(), "--version")
                .endContainer()
                .endSpec()
                .build();
    }

    private boolean await(CountDownLatch latch) {
        try {
            return latch.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Of an earlier check that was killed: its pod must be gone before there can be one of the same name. */
    private void removeLeftovers() {
        remove();
        client.api()
                .pods()
                .inNamespace(NAMESPACE)
                .withName(NAME)
                .waitUntilCondition(pod -> pod == null, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void removeAfterwards() {
        try {
            remove();
        } catch (KubernetesClientException e) {
            LOG.warn("{} and its ConfigMap in {} could not be removed: {}", NAME, NAMESPACE, e.getMessage());
        }
    }

    private void remove() {
        client.api()
                .configMaps()
                .inNamespace(NAMESPACE)
                .withName(NAME)
                .withGracePeriod(0)
                .delete();
        client.api()
                .pods()
                .inNamespace(NAMESPACE)
                .withName(NAME)
                .withGracePeriod(0)
                .delete();
    }

    private static ProblemException failed(String operation, String what) {
        return ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                "acceptance check, " + operation,
                what,
                "",
                "look at the pods in kube-system");
    }
}
