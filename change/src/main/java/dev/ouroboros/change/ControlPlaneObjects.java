package dev.ouroboros.change;

import dev.ouroboros.change.decide.Annotated;
import dev.ouroboros.change.decide.EarlierServers;
import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The objects of kube-system that rotations read and change. */
final class ControlPlaneObjects {
    static final String SECRETS = "/api/v1/namespaces/kube-system/secrets";
    private static final String PODS = "/api/v1/namespaces/kube-system/pods";
    private static final String NODES = "/api/v1/nodes";
    private static final String WORKLOADS = "/apis/apps/v1/namespaces/kube-system/";
    private static final String AGGREGATION =
            "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    private static final String DAEMON_SET = WORKLOADS + "daemonsets/" + Component.API_SERVER.id();

    private final ChangeApi api;

    ControlPlaneObjects(ChangeApi api) {
        this.api = api;
    }

    Json daemonSet() {
        return typed(api.read(DAEMON_SET), "DaemonSet");
    }

    Json deployment() {
        return deployment(Component.CONTROLLER_MANAGER.id());
    }

    Json deployment(String name) {
        return typed(api.read(WORKLOADS + "deployments/" + name), "Deployment");
    }

    SecretFiles secret(String name) {
        return new SecretFiles(api.read(SECRETS + "/" + name));
    }

    /** Empty when it is not there. */
    Optional<SecretFiles> findSecret(String name) {
        return ifThere(() -> secret(name));
    }

    private static <T> Optional<T> ifThere(Supplier<T> read) {
        try {
            return Optional.of(read.get());
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    List<SecretFiles> secrets() {
        return api.list(SECRETS, "").stream().map(SecretFiles::new).toList();
    }

    /** Secrets that a rotation made. */
    List<SecretFiles> made(Rotation rotation) {
        return secrets().stream()
                .filter(secret -> secret.goal(rotation).isPresent())
                .toList();
    }

    /** Secrets that have an authority's key. */
    List<SecretFiles> authorities(String authority) {
        return api
                .list(SECRETS, "labelSelector=" + SecretFiles.AUTHORITY_LABEL.replace("/", "%2F") + "%3D" + authority)
                .stream()
                .filter(secret -> secret.at("metadata", "labels", SecretFiles.AUTHORITY_LABEL)
                        .equals(Json.text(authority)))
                .map(SecretFiles::new)
                .toList();
    }

    /** Whom aggregated API servers believe, as the API servers tell them; absent where there is none. */
    Json aggregationTrust() {
        return ifThere(() -> api.read(AGGREGATION)).orElseGet(Json::absent);
    }

    /** Writes it; whether nobody else did since it was read. */
    boolean publish(Json configMap) {
        return api.replace(AGGREGATION, configMap) instanceof Outcome.Written;
    }

    /** Names of APIServices that another server than the API server itself serves, and that are not available. */
    List<String> unavailableServices() {
        return api.list("/apis/apiregistration.k8s.io/v1/apiservices", "").stream()
                .filter(service -> !service.at("spec", "service").isNull())
                .filter(service -> service.at("status", "conditions").items().stream()
                        .noneMatch(condition -> condition.at("type").equals(Json.text("Available"))
                                && condition.at("status").equals(Json.text("True"))))
                .map(ControlPlaneObjects::name)
                .sorted()
                .toList();
    }

    /** Deletes a Secret; one that is gone is. */
    Outcome delete(SecretFiles secret) {
        return api.delete(
                SECRETS + "/" + secret.name(),
                secret.object().at("metadata", "uid").text().orElse(""));
    }

    /** DaemonSets and Deployments by name. */
    Map<String, Json> workloads() {
        Map<String, Json> found = new TreeMap<>();
        for (String kind : List.of("DaemonSet", "Deployment")) {
            api.list(WORKLOADS + kind.toLowerCase(Locale.ROOT) + "s", "")
                    .forEach(object -> found.put(name(object), typed(object, kind)));
        }
        return found;
    }

    /** One that is there has the same content: its name says so. */
    void create(SecretFiles secret) {
        api.create(SECRETS, secret.object());
    }

    List<Json> apiServerPods(Json daemonSet) {
        StringBuilder labels = new StringBuilder();
        daemonSet
                .at("spec", "selector", "matchLabels")
                .fields()
                .forEach((name, value) -> labels.append(labels.isEmpty() ? "" : "%2C")
                        .append(name)
                        .append("%3D")
                        .append(value.text().orElse("")));
        return api.list(PODS, "labelSelector=" + labels);
    }

    /** What is to be waited for before the next template is written; empty when every API server is of the present one. */
    Optional<String> earlierServers(Json daemonSet) {
        return EarlierServers.waitedFor(daemonSet, api.list(PODS, ""), api.list(NODES, ""));
    }

    /** Whether nodes that are away hold up the rollout of a DaemonSet. */
    HeldRollout held(Json daemonSet) {
        return HeldRollout.of(daemonSet, api.list(PODS, ""), api.list(NODES, ""));
    }

    /** Asks a pod to leave: who may have nodes drained need not have the right to delete any pod. */
    Outcome evict(Json pod) {
        return Evictions.of(api)
                .evict(
                        "kube-system",
                        name(pod),
                        pod.at("metadata", "uid").text().orElse(""));
    }

    /**
     * Requires that each node which the DaemonSet's template selects is ready.
     *
     * @param consequence what becomes of the API server of one that is not
     * @param advice what else is to be said to who deletes the Node of one that is gone for good; may be empty
     * @return the nodes
     * @throws ProblemException CHANGE_REFUSED with those that are not
     */
    List<String> requireReadyNodes(Json daemonSet, String consequence, String advice) {
        Map<String, Json> role =
                daemonSet.at("spec", "template", "spec", "nodeSelector").fields();
        List<Json> nodes = api.list(NODES, "").stream()
                .filter(node ->
                        node.at("metadata", "labels").fields().entrySet().containsAll(role.entrySet()))
                .toList();
        List<Problem> off = nodes.stream()
                .filter(node -> !ReadyCondition.holds(node))
                .map(ControlPlaneObjects::name)
                .sorted()
                .map(node -> new Problem(
                        ErrorCode.CHANGE_REFUSED,
                        "Node " + node,
                        "is not ready: " + consequence,
                        "control-plane nodes that are ready",
                        "bring it back, and run the same command again; if it is gone for good: kubectl delete node "
                                + node + advice))
                .toList();
        if (!off.isEmpty()) {
            throw new ProblemException(off);
        }
        return nodes.stream().map(ControlPlaneObjects::name).toList();
    }

    private static String name(Json object) {
        return object.at("metadata", "name").text().orElse("");
    }

    List<Json> controllerRevisions(Json daemonSet) {
        return owned(WORKLOADS + "controllerrevisions", daemonSet);
    }

    List<Json> replicaSets(Json deployment) {
        return owned(WORKLOADS + "replicasets", deployment);
    }

    private List<Json> owned(String collection, Json workload) {
        Optional<String> uid = workload.at("metadata", "uid").text();
        return api.list(collection, "").stream()
                .filter(object -> object.at("metadata", "ownerReferences").items().stream()
                        .anyMatch(owner -> owner.at("uid").text().equals(uid)))
                .toList();
    }

    /**
     * First the Secret, which nobody reads yet, then the template. One that is there has the same content: its name says so. A template
     * that had failed before is meant to be tried again, or nobody would have asked for it.
     *
     * @param attempt differs from that of any attempt before
     * @return whether it was written
     */
    boolean change(SecretFiles secret, Json.Fields workload, String attempt) {
        create(secret);
        return isDeployment(workload) ? replace(workload) : retry(workload, attempt);
    }

    /** Whether it was written; somebody may have changed it since it was read. */
    boolean replace(Json.Fields workload) {
        boolean isDeployment = workload.at("kind").equals(Json.text("Deployment"));
        String path = WORKLOADS
                + (isDeployment ? "deployments/" : "daemonsets/")
                + workload.at("metadata", "name").text().orElse("");
        return switch (api.replace(path, workload.without("status"))) {
            case Outcome.Written _ -> true;
            case Outcome.Conflict() -> false;
            case Outcome.Gone() ->
                throw ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        path,
                        "is not there any more",
                        "",
                        "see who deleted it (kubectl -n kube-system get daemonsets,deployments); ouro start puts back what its asset directory has");
        };
    }

    /** Sets an annotation of the API server's DaemonSet, or removes it; whether it was written. */
    boolean annotate(Json daemonSet, String name, Optional<String> value) {
        return replace(Annotated.with(daemonSet, name, value));
    }

    /** Asks the keeper to try a revision again that failed. */
    boolean retry(Json daemonSet, String text) {
        return annotate(daemonSet, ChangeReport.RETRY_ANNOTATION, Optional.of(text));
    }

    private static boolean isDeployment(Json workload) {
        return workload.at("kind").equals(Json.text("Deployment"));
    }

    private static Json typed(Json object, String kind) {
        return ((Json.Fields) object).with("apiVersion", Json.text("apps/v1")).with("kind", Json.text(kind));
    }
}
