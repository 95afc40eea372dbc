package dev.ouroboros.render.manifest;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.net.Cidr;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HTTPGetActionBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A member of etcd as a static pod in the host's network. Its files come from the node: data from {@code dataDirectory},
 * certificates from {@code tlsDirectory}, under the names that render gives them ({@code server.crt}, {@code server.key},
 * {@code server-ca.crt}, {@code peer.crt}, {@code peer.key}, {@code peer-ca.crt}).
 *
 * @param memberName name of the member, usually the node's
 * @param others the other members of a cluster that begins with several, by name
 * @param extraArguments by flag without dashes; they win
 */
public record EtcdStaticPod(
        String memberName,
        String image,
        InetAddress nodeAddress,
        SortedMap<String, InetAddress> others,
        String dataDirectory,
        String tlsDirectory,
        SortedMap<String, String> extraArguments) {
    public static final String DEFAULT_DATA_DIRECTORY = "/var/lib/etcd";
    public static final String DEFAULT_TLS_DIRECTORY = "/etc/kubernetes/etcd";

    /**
     * Path of the health check on the metrics port. A member that has raised NOSPACE passes it: a restart would not help, and would take from its clients what
     * it still serves. ({@code exclude} is known since 3.4.16, etcd#12880; older ones ignore it. It is not {@code serializable}, as kubeadm's is: a member
     * that does not reach the others is not healthy.)
     */
    public static final String HEALTH = "/health?exclude=NOSPACE";

    /** Port of health and metrics, plain HTTP on loopback only: the kubelet's probe has no client certificate. */
    public static final int METRICS_PORT = 2381;

    public EtcdStaticPod {
        others = Collections.unmodifiableSortedMap(new TreeMap<>(others));
        extraArguments = Collections.unmodifiableSortedMap(new TreeMap<>(extraArguments));
    }

    /** The only member, with the default directories and no extra arguments. */
    public static EtcdStaticPod of(String memberName, String image, String nodeAddress) {
        return of(memberName, image, new TreeMap<>(Map.of(memberName, nodeAddress)));
    }

    /**
     * One of several members, with the default directories and no extra arguments.
     *
     * @param members the addresses of all, by name
     */
    public static EtcdStaticPod of(String memberName, String image, SortedMap<String, String> members) {
        SortedMap<String, InetAddress> all = new TreeMap<>();
        members.forEach((name, address) -> all.put(
                name,
                Cidr.address(address).orElseThrow(() -> new IllegalArgumentException("not an address: " + address))));
        InetAddress own = all.remove(memberName);
        if (own == null) {
            throw new IllegalArgumentException(memberName + " is none of the members " + members);
        }
        return new EtcdStaticPod(
                memberName, image, own, all, DEFAULT_DATA_DIRECTORY, DEFAULT_TLS_DIRECTORY, new TreeMap<>());
    }

    public Pod pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withName(Component.ETCD.id())
                .withNamespace(Pods.NAMESPACE)
                .withLabels(new TreeMap<>(Map.of("k8s-app", Component.ETCD.id(), "tier", "control-plane")))
                .endMetadata()
                .withNewSpec()
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withHostNetwork(true)
                .withDnsPolicy("Default")
                .withPriorityClassName(Pods.NODE_CRITICAL)
                .withPriority(Pods.NODE_CRITICAL_PRIORITY)
                .withTolerations(Pods.tolerateEverything())
                .withContainers(container().build())
                .withVolumes(
                        Pods.hostPath("data", dataDirectory, "DirectoryOrCreate"),
                        Pods.hostPath("tls", tlsDirectory, "Directory"))
                .endSpec()
                .build();
    }

    /** The manifest for the kubelet's static pod directory. */
    public String yaml() {
        return new Yaml().text(pod());
    }

    private ContainerBuilder container() {
        return new ContainerBuilder()
                .withName(Component.ETCD.id())
                .withImage(image)
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withCommand(command())
                .withResources(Pods.requests("100m", "100Mi"))
                .withStartupProbe(health(Pods.ProbeTimes.STARTUP))
                .withLivenessProbe(health(Pods.ProbeTimes.LIVENESS))
                .withVolumeMounts(Pods.writable("data", dataDirectory), Pods.readOnly("tls", tlsDirectory));
    }

    private List<String> command() {
        String client = "https://" + host(nodeAddress) + ":" + Component.ETCD.port();
        String peer = peer(nodeAddress);
        List<String> command = new ArrayList<>(new Arguments()
                .set("advertise-client-urls", client)
                .set("cert-file", tlsDirectory + "/server.crt")
                .set("client-cert-auth", true)
                .set("data-dir", dataDirectory)
                .set("initial-advertise-peer-urls", peer)
                .set("initial-cluster", initialCluster())
                .set("key-file", tlsDirectory + "/server.key")
                .set("listen-client-urls", client + ",https://127.0.0.1:" + Component.ETCD.port())
                .set("listen-metrics-urls", "http://127.0.0.1:" + METRICS_PORT)
                .set("listen-peer-urls", peer)
                .set("name", memberName)
                .set("peer-cert-file", tlsDirectory + "/peer.crt")
                .set("peer-client-cert-auth", true)
                .set("peer-key-file", tlsDirectory + "/peer.key")
                .set("peer-trusted-ca-file", tlsDirectory + "/peer-ca.crt")
                .set("trusted-ca-file", tlsDirectory + "/server-ca.crt")
                .setAll(extraArguments)
                .toFlags());
        command.addFirst(Component.ETCD.id());
        return command;
    }

    private static Probe health(Pods.ProbeTimes times) {
        return times.applyTo(new ProbeBuilder()
                        .withHttpGet(new HTTPGetActionBuilder()
                                .withHost(Pods.LOOPBACK)
                                .withPath(HEALTH)
                                .withPort(new IntOrString(METRICS_PORT))
                                .build()))
                .build();
    }

    private String initialCluster() {
        SortedMap<String, InetAddress> all = new TreeMap<>(others);
        all.put(memberName, nodeAddress);
        return all.entrySet().stream()
                .map(member -> member.getKey() + "=" + peer(member.getValue()))
                .collect(Collectors.joining(","));
    }

    private static String peer(InetAddress address) {
        return "https://" + host(address) + ":" + Component.ETCD_PEER_PORT;
    }

    private static String host(InetAddress address) {
        String literal = address.getHostAddress();
        return address instanceof Inet6Address ? "[" + literal + "]" : literal;
    }
}
