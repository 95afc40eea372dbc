package dev.ouroboros.sim;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The objects of a small cluster, as {@code ouro render} and people write them. */
final class Blueprint {
    private static final String NODE = "node-";
    /** For documentation (RFC 5737): machine N has N as its last byte. */
    private static final byte[] NETWORK = {(byte) 192, 0, 2, 0};

    static final String SYSTEM = "kube-system";
    static final String ROLE_LABEL = "node-role.kubernetes.io/control-plane";
    static final String SECRET = "/api/v1/namespaces/kube-system/secrets/kube-apiserver";
    static final String MANAGER_SECRET = "/api/v1/namespaces/kube-system/secrets/kube-controller-manager";
    static final String TRUST = "/api/v1/namespaces/kube-system/configmaps/kube-apiserver-trust";
    static final String NODES = "/api/v1/nodes";
    static final String SERVICE = "/api/v1/namespaces/default/endpoints/kubernetes";
    static final String PODS = "/api/v1/namespaces/%s/pods/";

    static final Kept API_SERVER = new Kept(SYSTEM, Component.API_SERVER.id(), Role.API_SERVER, true);
    static final Kept MANAGER = new Kept(SYSTEM, Component.CONTROLLER_MANAGER.id(), Role.CONTROLLER_MANAGER, false);
    static final Kept SCHEDULER = new Kept(SYSTEM, Component.SCHEDULER.id(), Role.SCHEDULER, false);
    static final Kept KEEPER = new Kept(SYSTEM, Component.KEEPER.id(), Role.KEEPER, true);
    /** Somebody's pod in another namespace, whose containers run as different users. */
    static final Kept OTHER = new Kept("edge", "gateway", Role.OTHER, false);

    static final List<Kept> ALL = List.of(API_SERVER, MANAGER, SCHEDULER, KEEPER, OTHER);

    static final List<Kept> LEADERS = List.of(MANAGER, SCHEDULER);

    /** All but the keeper, which comes last. */
    static final List<Kept> WORKLOADS = List.of(API_SERVER, MANAGER, SCHEDULER, OTHER);

    private Blueprint() {}

    /** A component that asks for a checkpoint. */
    record Kept(String namespace, String name, Role role, boolean isDaemonSet) {
        ComponentName component() {
            return new ComponentName(namespace, name);
        }

        String path() {
            return "/apis/apps/v1/namespaces/" + namespace + (isDaemonSet ? "/daemonsets/" : "/deployments/") + name;
        }
    }

    /** What a user asks for. */
    record Template(String version, int verbosity, Behaviour behaviour) {
        static final Template FIRST = new Template("v1.20.2", 1, Behaviour.GOOD);
    }

    /** @param number from 1 on */
    static String nodeName(int number) {
        return NODE + number;
    }

    static InetAddress address(int number) {
        byte[] bytes = NETWORK.clone();
        bytes[bytes.length - 1] = (byte) number;
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    static String nodePath(String node) {
        return NODES + "/" + node;
    }

    static Json.Fields fields(Object... namesAndValues) {
        Json.Fields all = Json.object();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            Object value = namesAndValues[index + 1];
            all = all.with(
                    (String) namesAndValues[index],
                    switch (value) {
                        case Json json -> json;
                        case String text -> Json.text(text);
                        case Integer number -> Json.number(number);
                        case Boolean bool -> Json.bool(bool);
                        case List<?> items -> Json.items(items.stream().map(Json.class::cast));
                        default -> throw new IllegalArgumentException(String.valueOf(value));
                    });
        }
        return all;
    }

    static Json.Fields object(String apiVersion, String kind, String namespace, String name) {
        Json.Fields metadata =
                namespace.isEmpty() ? fields("name", name) : fields("name", name, "namespace", namespace);
        return fields("apiVersion", apiVersion, "kind", kind, "metadata", metadata);
    }

    static Json.Fields metadataOf(Json object) {
        return (Json.Fields) object.at("metadata");
    }

    /** A cluster as {@code start} leaves it. */
    static void populate(Objects objects, List<Machine> machines) {
        populateFirst(objects);
        machines.forEach(machine -> registerNode(objects, machine));
        machines.forEach(machine -> labelNode(objects, machine, fields(ROLE_LABEL, "")));
        populateRest(objects);
        ALL.forEach(kept -> apply(objects, kept));
        if (machines.size() > 1) {
            LEADERS.forEach(kept -> objects.get(kept.path())
                    .ifPresent(deployment -> objects.put(kept.path(), withReplicas(deployment, 2))));
        }
    }

    static Json.Fields withReplicas(Json.Fields deployment, int replicas) {
        Json.Fields spec = (Json.Fields) deployment.at("spec");
        return deployment.with("spec", spec.with("replicas", Json.number(replicas)));
    }

    /** What API servers make by themselves. */
    static void populateFirst(Objects objects) {
        objects.put("/api/v1/namespaces/kube-system", object("v1", "Namespace", "", SYSTEM));
    }

    static void registerNode(Objects objects, Machine machine) {
        Json.Fields node = object("v1", "Node", "", machine.name());
        Json.Fields address =
                fields("type", "InternalIP", "address", machine.address().getHostAddress());
        objects.put(
                nodePath(machine.name()),
                node.with("metadata", metadataOf(node).with("labels", fields()))
                        .with(
                                "status",
                                fields(
                                        "nodeInfo",
                                        fields("kubeletVersion", "v1.20.2"),
                                        "addresses",
                                        List.of(address))));
    }

    /** @param labels all that its Node has from now on; nothing happens while there is no Node */
    static void labelNode(Objects objects, Machine machine, Json.Fields labels) {
        String path = nodePath(machine.name());
        objects.get(path)
                .ifPresent(node ->
                        objects.put(path, node.with("metadata", metadataOf(node).with("labels", labels))));
    }

    /** @param ready as its Node says it from now on: {@code True}, or {@code Unknown} when its kubelet is silent for long */
    static void setReady(Objects objects, Machine machine, String ready) {
        String path = nodePath(machine.name());
        Json conditions = Json.items(Stream.of(fields("type", "Ready", "status", ready)));
        objects.get(path)
                .filter(node -> !node.at("status", "conditions").equals(conditions))
                .ifPresent(node -> objects.put(
                        path, node.with("status", ((Json.Fields) node.at("status")).with("conditions", conditions))));
    }

    static boolean isPopulated(Objects objects) {
        return objects.get(SECRET).isPresent()
                && objects.get(MANAGER_SECRET).isPresent()
                && objects.get(TRUST).isPresent();
    }

    /** Creates the object; one that exists stays. */
    static void apply(Objects objects, Kept kept) {
        if (objects.get(kept.path()).isEmpty()) {
            objects.put(kept.path(), controller(kept));
        }
    }

    /** The Endpoints that lead the kubernetes Service to a machine. */
    static Json.Fields service(Machine machine) {
        return object("v1", "Endpoints", "default", "kubernetes")
                .with(
                        "subsets",
                        Json.items(Stream.of(fields(
                                "addresses",
                                List.of(fields("ip", machine.address().getHostAddress())),
                                "ports",
                                List.of(fields("name", "https", "port", Component.API_SERVER.port()))))));
    }

    /** Secrets and ConfigMaps, but for those that people have written meanwhile. */
    static void populateRest(Objects objects) {
        if (isPopulated(objects)) {
            return;
        }
        objects.put(
                SECRET,
                secret(Component.API_SERVER.id(), Map.of("tls.key", "key-1", "sa.key", "sa-1", "extra", "e-1")));
        objects.put(
                MANAGER_SECRET, secret(Component.CONTROLLER_MANAGER.id(), Map.of("kubeconfig", "k-1", "extra", "e-1")));
        objects.put(
                TRUST,
                object("v1", "ConfigMap", SYSTEM, "kube-apiserver-trust")
                        .with("data", fields("ca", "authority", "zone", "here")));
    }

    static Json.Fields secret(String name, Map<String, String> data) {
        Json.Fields encoded = Json.object();
        for (String key : data.keySet().stream().sorted().toList()) {
            byte[] value = data.getOrDefault(key, "").getBytes(StandardCharsets.UTF_8);
            encoded = encoded.with(key, Json.text(Base64.getEncoder().encodeToString(value)));
        }
        return object("v1", "Secret", SYSTEM, name).with("data", encoded);
    }

    private static Json.Fields controller(Kept kept) {
        Json.Fields object =
                object("apps/v1", kept.isDaemonSet() ? "DaemonSet" : "Deployment", kept.namespace(), kept.name());
        Json.Fields spec = fields(
                "selector",
                fields("matchLabels", fields("k8s-app", kept.name())),
                "template",
                template(kept, Template.FIRST));
        if (kept.isDaemonSet()) {
            String type = kept.role() == Role.API_SERVER ? "OnDelete" : "RollingUpdate";
            spec = spec.with("updateStrategy", fields("type", type));
        } else {
            spec = spec.with("replicas", Json.number(1));
        }
        return object.with("metadata", metadataOf(object).with("generation", Json.number(1)))
                .with("spec", spec);
    }

    static Json.Fields template(Kept kept, Template template) {
        return fields(
                "metadata",
                fields(
                        "labels", fields("k8s-app", kept.name()),
                        "annotations", fields("ouroboros.dev/checkpoint", "true")),
                "spec",
                podSpec(kept, template));
    }

    private static Json.Fields podSpec(Kept kept, Template template) {
        Json.Fields container = fields(
                "name",
                kept.name(),
                "image",
                "localhost/" + kept.name() + ":" + template.version(),
                "command",
                Json.texts(List.of(
                        kept.name(),
                        "--v=" + template.verbosity(),
                        template.behaviour().flag())));
        Json.Fields spec = fields("automountServiceAccountToken", false);
        return switch (kept.role()) {
            case API_SERVER ->
                spec.with("hostNetwork", Json.bool(true))
                        .with("nodeSelector", fields(ROLE_LABEL, ""))
                        .with("containers", Json.items(Stream.of(apiServer(container))))
                        .with("volumes", apiServerVolumes());
            case KEEPER ->
                spec.with("hostNetwork", Json.bool(true))
                        .with("nodeSelector", fields(ROLE_LABEL, ""))
                        .with("containers", Json.items(Stream.of(container)));
            case CONTROLLER_MANAGER ->
                spec.with("nodeSelector", fields(ROLE_LABEL, ""))
                        .with("containers", Json.items(Stream.of(container.with("volumeMounts", mounts("secrets")))))
                        .with(
                                "volumes",
                                Json.items(Stream.of(fields(
                                        "name",
                                        "secrets",
                                        "secret",
                                        fields("secretName", Component.CONTROLLER_MANAGER.id())))));
            case SCHEDULER ->
                spec.with("nodeSelector", fields(ROLE_LABEL, "")).with("containers", Json.items(Stream.of(container)));
            case OTHER ->
                spec.with(
                        "containers",
                        Json.items(Stream.of(
                                container.with("securityContext", fields("runAsUser", 1001)),
                                container
                                        .with("name", Json.text("sidecar"))
                                        .with("securityContext", fields("runAsUser", 1002)))));
        };
    }

    private static Json.Fields apiServer(Json.Fields container) {
        Json.Fields reference = fields("configMapKeyRef", fields("name", "kube-apiserver-trust", "key", "zone"));
        Json.Fields probe =
                fields("httpGet", fields("host", "127.0.0.1", "path", "/livez", "port", Component.API_SERVER.port()));
        return container
                .with("livenessProbe", probe)
                .with("env", Json.items(Stream.of(fields("name", "ZONE", "valueFrom", reference))))
                .with("volumeMounts", mounts("secrets", "trust"));
    }

    private static Json mounts(String... volumes) {
        return Json.items(Stream.of(volumes)
                .map(name -> fields("name", name, "mountPath", "/etc/kubernetes/" + name, "readOnly", true)));
    }

    private static Json apiServerVolumes() {
        Json.Fields keys = fields(
                "secretName",
                Component.API_SERVER.id(),
                "defaultMode",
                0440,
                "items",
                List.of(
                        fields("key", "tls.key", "path", "tls.key", "mode", 0400),
                        fields("key", "sa.key", "path", "deep/sa.key")));
        Json.Fields trust = fields(
                "configMap",
                fields("name", "kube-apiserver-trust", "items", List.of(fields("key", "ca", "path", "ca.crt"))));
        Json.Fields extra = fields(
                "secret",
                fields(
                        "name",
                        Component.API_SERVER.id(),
                        "optional",
                        true,
                        "items",
                        List.of(fields("key", "extra", "path", "extra"))));
        return Json.items(Stream.of(
                fields("name", "secrets", "secret", keys),
                fields("name", "trust", "projected", fields("defaultMode", 0444, "sources", List.of(trust, extra)))));
    }
}
