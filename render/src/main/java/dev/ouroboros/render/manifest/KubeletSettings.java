package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.render.cluster.ClusterSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How a kubelet is set up: its configuration file and its command line, by version.
 *
 * @param nodeName name it registers
 * @param nodeAddress its address, for pods of the host network and for the API server
 * @param clusterDns address of cluster DNS
 * @param clusterDomain DNS domain of Services
 * @param clientCaFile CA whose certificates may use the kubelet's API
 * @param staticPodPath directory with static pods
 * @param runtimeEndpoint as in {@code unix:///run/containerd/containerd.sock}
 * @param cgroupDriver {@code cgroupfs} or {@code systemd}
 * @param cgroupRoot cgroup that holds its pods, or empty for the root
 * @param rootDirectory its state, usually {@code /var/lib/kubelet}
 * @param bootstrapKubeconfig kubeconfig with the token to join with
 * @param kubeconfig the one it writes when it has a certificate
 * @param pauseImage image that its garbage collection must keep (where the version has the flag)
 * @param resolvConf resolver configuration pods get, or empty for the kubelet's default
 * @param evictionHard thresholds by signal; empty for the kubelet's defaults
 * @param extraFields fields of the configuration that win, by name
 * @param extraArguments flags that win, without dashes
 */
public record KubeletSettings(
        String nodeName,
        String nodeAddress,
        String clusterDns,
        String clusterDomain,
        String clientCaFile,
        String staticPodPath,
        String runtimeEndpoint,
        String cgroupDriver,
        Optional<String> cgroupRoot,
        String rootDirectory,
        String bootstrapKubeconfig,
        String kubeconfig,
        String pauseImage,
        Optional<String> resolvConf,
        SortedMap<String, String> evictionHard,
        Map<String, Object> extraFields,
        SortedMap<String, String> extraArguments) {
    /** The argument with the name of the Node. */
    public static final String NODE_NAME = "hostname-override";
    /** The argument with the Node's address. */
    public static final String NODE_ADDRESS = "node-ip";

    private static final String PAUSE_IMAGE = "pod-infra-container-image";

    /**
     * The kubelet generation that a node is made with.
     *
     * @param program where it is on the node
     */
    public KubeletGeneration generation(VersionFacts facts, String program) {
        return new KubeletGeneration(
                facts.version().tag(),
                program,
                Optional.empty(),
                configuration(facts),
                arguments(facts),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * What a node must be told, together with another program, so that its kubelet starts as this version, whichever version it had: settings that
     * this version does not have any more are taken away, and those that it needs are given.
     */
    public static KubeletWish wishFor(VersionFacts facts, KubeletWish.Program program) {
        KubeletSettings any = of("node", "192.0.2.1", "192.0.2.2", "pause");
        KubeletGeneration wanted = any.generation(facts, "");
        Json.Fields config = Json.object();
        SortedMap<String, Optional<String>> arguments = new TreeMap<>();
        for (VersionFacts other : VersionFacts.everyMinor()) {
            KubeletGeneration before = any.generation(other, "");
            for (String field : before.config().values().keySet()) {
                config = wanted.config().at(field).isNull() ? config.with(field, Json.absent()) : config;
            }
            for (Map.Entry<String, Json> field : wanted.config().values().entrySet()) {
                config = before.config().at(field.getKey()).isNull()
                        ? config.with(field.getKey(), field.getValue())
                        : config;
            }
            before.arguments().keySet().stream()
                    .filter(flag -> !wanted.arguments().containsKey(flag))
                    .forEach(flag -> arguments.put(flag, Optional.empty()));
            // The pause image is the node's own, and so is the flag that protects it from garbage collection.
            wanted.arguments().entrySet().stream()
                    .filter(flag -> !before.arguments().containsKey(flag.getKey())
                            && !flag.getKey().equals(PAUSE_IMAGE))
                    .forEach(flag -> arguments.put(flag.getKey(), Optional.of(flag.getValue())));
        }
        facts.arguments(Component.KUBELET).forEach((flag, value) -> arguments.put(flag, Optional.of(value)));
        return new KubeletWish(config, arguments, Optional.of(program), Optional.empty());
    }

    private Json.Fields configuration(VersionFacts facts) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("apiVersion", facts.requiredApiVersion("KubeletConfiguration"));
        fields.put("kind", "KubeletConfiguration");
        if (nodeAddress.contains(":")) {
            fields.put("address", "::");
        }
        fields.put(
                "authentication",
                Map.of(
                        "anonymous", Map.of("enabled", false),
                        "webhook", Map.of("enabled", true),
                        "x509", Map.of("clientCAFile", clientCaFile)));
        fields.put("authorization", Map.of("mode", "Webhook"));
        fields.put("cgroupDriver", cgroupDriver);
        cgroupRoot.ifPresent(root -> fields.put("cgroupRoot", root));
        fields.put("clusterDNS", List.of(clusterDns));
        fields.put("clusterDomain", clusterDomain);
        if (!evictionHard.isEmpty()) {
            fields.put("evictionHard", evictionHard);
        }
        fields.put("failSwapOn", false);
        // The defaults since 1.27 (kubernetes#116121): with 5 a second, as before, the pods of a new control plane wait
        // for one
        // another's Secrets and status updates.
        fields.put("kubeAPIBurst", 100);
        fields.put("kubeAPIQPS", 50);
        fields.put("readOnlyPort", 0);
        resolvConf.ifPresent(file -> fields.put("resolvConf", file));
        fields.put("rotateCertificates", true);
        fields.put("serverTLSBootstrap", false);
        fields.put("staticPodPath", staticPodPath);
        fields.put("tlsMinVersion", "VersionTLS12");
        if (facts.kubeletHas("failCgroupV1")) {
            fields.put("failCgroupV1", false);
        }
        if (facts.kubeletHas("containerRuntimeEndpoint")) {
            fields.put("containerRuntimeEndpoint", runtimeEndpoint);
        }
        fields.putAll(extraFields);
        try {
            return (Json.Fields) JsonText.read(new Yaml().json(fields));
        } catch (MalformedJson e) {
            throw new IllegalStateException("was just written", e);
        }
    }

    private SortedMap<String, String> arguments(VersionFacts facts) {
        Arguments arguments = new Arguments()
                .set("bootstrap-kubeconfig", bootstrapKubeconfig)
                .set("cert-dir", rootDirectory + "/pki")
                .set(NODE_NAME, nodeName)
                .set("kubeconfig", kubeconfig)
                .set(NODE_ADDRESS, nodeAddress)
                .set("root-dir", rootDirectory)
                .setAll(facts.arguments(Component.KUBELET));
        if (!facts.kubeletHas("containerRuntimeEndpoint")) {
            arguments.set("container-runtime-endpoint", runtimeEndpoint);
        }
        if (facts.keepsPauseImageByFlag()) {
            arguments.set(PAUSE_IMAGE, pauseImage);
        }
        return arguments.setAll(extraArguments).flags();
    }

    /** Settings as a builder would start: everything below the kubelet's usual directories. */
    public static KubeletSettings of(String nodeName, String nodeAddress, String clusterDns, String pauseImage) {
        return new KubeletSettings(
                nodeName,
                nodeAddress,
                clusterDns,
                ClusterSpec.CLUSTER_DOMAIN,
                "/etc/kubernetes/ca.crt",
                "/etc/kubernetes/manifests",
                "unix:///run/containerd/containerd.sock",
                "cgroupfs",
                Optional.empty(),
                "/var/lib/kubelet",
                "/etc/kubernetes/kubeconfig-kubelet",
                "/var/lib/kubelet/kubeconfig",
                pauseImage,
                Optional.empty(),
                new TreeMap<>(),
                Map.of(),
                new TreeMap<>());
    }
}
