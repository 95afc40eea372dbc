package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The cluster's DNS: a Deployment, what it may read, and the Service {@code kube-dns} at the address that kubelets tell every pod. Whoever
 * the provider is, Service and Deployment have the same labels, by which people and their tools find them; so a provider is replaced by
 * another without a change of the Service, and both answer while one follows the other.
 *
 * <p>It is an add-on: nothing of the control plane asks it, so it is no part of a checkpoint, and nothing waits for it.
 */
final class ClusterDns {
    private static final String SERVICE = "kube-dns";
    private static final Map<String, String> LABELS = Map.of("k8s-app", SERVICE);
    private static final String UDP = "UDP";
    private static final String TCP = "TCP";
    private static final String CONFIGURATION = "config-volume";
    private static final String COREFILE = "Corefile";
    private static final List<String> LIST_AND_WATCH = List.of("list", "watch");
    private static final String SLICES = "discovery.k8s.io";

    /** What differs between providers. */
    private record Program(String name, int port, String role, List<PolicyRule> rules) {}

    private final ClusterSpec spec;
    private final ClusterSpec.Dns dns;
    private final VersionFacts facts;
    private final Program program;

    ClusterDns(ClusterSpec spec, ClusterSpec.Dns dns, VersionFacts facts) {
        this.spec = spec;
        this.dns = dns;
        this.facts = facts;
        this.program = switch (dns.provider()) {
            case OUROBOROS ->
                new Program(
                        Component.DNS.id(),
                        1053,
                        "ouroboros:dns",
                        List.of(
                                rule("", "services"),
                                rule(SLICES, "endpointslices"),
                                // The UID of kube-system is the cluster's identity.
                                new PolicyRuleBuilder()
                                        .withApiGroups("")
                                        .withResources("namespaces")
                                        .withResourceNames(Pods.NAMESPACE)
                                        .withVerbs("get")
                                        .build()));
            case COREDNS ->
                new Program(
                        "coredns",
                        53,
                        "system:coredns",
                        List.of(
                                rule("", "endpoints", "services", "pods", "namespaces"),
                                rule(SLICES, "endpointslices")));
        };
    }

    private static PolicyRule rule(String group, String... resources) {
        return new PolicyRuleBuilder()
                .withApiGroups(group)
                .withResources(resources)
                .withVerbs(LIST_AND_WATCH)
                .build();
    }

    ServiceAccount account() {
        return Access.account(program.name());
    }

    ClusterRole role() {
        return new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(program.role())
                .endMetadata()
                .withRules(program.rules())
                .build();
    }

    ClusterRoleBinding binding() {
        return Access.ofAccount(program.role(), program.name());
    }

    Service service() {
        return new ServiceBuilder()
                .withNewMetadata()
                .withName(SERVICE)
                .withNamespace(Pods.NAMESPACE)
                .withLabels(new TreeMap<>(Map.of(
                        "k8s-app", SERVICE, "kubernetes.io/cluster-service", "true", "kubernetes.io/name", "CoreDNS")))
                .endMetadata()
                .withNewSpec()
                .withClusterIP(spec.network().dnsAddress().getHostAddress())
                .withSelector(LABELS)
                .withPorts(servicePort("dns", UDP), servicePort("dns-tcp", TCP))
                .endSpec()
                .build();
    }

    /** Named ports: pods of two providers listen on different numbers. */
    private static ServicePort servicePort(String name, String protocol) {
        return new ServicePortBuilder()
                .withName(name)
                .withPort(53)
                .withProtocol(protocol)
                .withTargetPort(new IntOrString(name))
                .build();
    }

    /** kubeadm's Corefile (cmd/kubeadm/app/phases/addons/dns/manifests.go), with our domain of Services. */
    ConfigMap corefile() {
        String text = """
                .:53 {
                    errors
                    health {
                       lameduck 5s
                    }
                    ready
                    kubernetes %s in-addr.arpa ip6.arpa {
                       pods insecure
                       fallthrough in-addr.arpa ip6.arpa
                       ttl 30
                    }
                    prometheus :9153
                    forward . /etc/resolv.conf {
                       max_concurrent 1000
                    }
                    cache 30
                    loop
                    reload
                    loadbalance
                }
                """.formatted(ClusterSpec.CLUSTER_DOMAIN);
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(program.name())
                .withNamespace(Pods.NAMESPACE)
                .endMetadata()
                .withData(Map.of(COREFILE, text))
                .build();
    }

    Deployment deployment() {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(program.name())
                .withNamespace(Pods.NAMESPACE)
                .withLabels(LABELS)
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas())
                .withNewSelector()
                .withMatchLabels(podLabels())
                .endSelector()
                .withNewStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxUnavailable(new IntOrString(0))
                .withMaxSurge(new IntOrString(1))
                .endRollingUpdate()
                .endStrategy()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(podLabels())
                .endMetadata()
                .withNewSpec()
                .withAffinity(Pods.apart(LABELS))
                .withEnableServiceLinks(false)
                .withDnsPolicy("Default")
                .withNodeSelector(Map.of("kubernetes.io/os", "linux"))
                .withPriorityClassName(Pods.CLUSTER_CRITICAL)
                .withSecurityContext(podSecurity())
                .withServiceAccountName(program.name())
                .withTolerations(
                        Pods.tolerate(facts.nodeRole()),
                        Pods.tolerate("CriticalAddonsOnly")
                                .edit()
                                .withEffect(null)
                                .build())
                .withContainers(container())
                .withVolumes(volumes())
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    /** Two replicas where the document shows more than one node: an etcd of several members, or several endpoints. */
    private int replicas() {
        return spec.etcd().hosts().size() > 1 || spec.apiServer().endpoints().size() > 1 ? 2 : 1;
    }

    /** The provider is part of the selector, so that two providers' Deployments do not take each other's pods. */
    private Map<String, String> podLabels() {
        return new TreeMap<>(
                Map.of("k8s-app", SERVICE, "ouroboros.dev/dns", dns.provider().field()));
    }

    /** The user of the image applies, which is root for CoreDNS before 1.11. */
    private PodSecurityContext podSecurity() {
        return switch (dns.provider()) {
            case OUROBOROS -> Pods.unprivileged();
            case COREDNS ->
                new PodSecurityContextBuilder()
                        .withNewSeccompProfile()
                        .withType("RuntimeDefault")
                        .endSeccompProfile()
                        .build();
        };
    }

    private Container container() {
        ContainerBuilder container = new ContainerBuilder()
                .withName(program.name())
                .withImage(dns.image())
                .withImagePullPolicy(Pods.IF_NOT_PRESENT)
                .withPorts(port("dns", program.port(), UDP), port("dns-tcp", program.port(), TCP));
        return switch (dns.provider()) {
            case OUROBOROS ->
                container
                        .addToPorts(port("metrics", 8053, TCP))
                        .withArgs(arguments().toFlags())
                        .withEnv(Pods.fromField("NODE_NAME", "spec.nodeName"))
                        .withResources(resources("64Mi", "128Mi"))
                        .withSecurityContext(Pods.confined()
                                .edit()
                                .editCapabilities()
                                .withAdd(List.of())
                                .endCapabilities()
                                .build())
                        .withReadinessProbe(probe("/readyz", 8053, new Pods.ProbeTimes(0, 1, 5, 3)))
                        .withLivenessProbe(probe("/healthz", 8053, Pods.ProbeTimes.LIVENESS))
                        .build();
            case COREDNS ->
                container
                        .addToPorts(port("metrics", 9153, TCP))
                        .withArgs("-conf", "/etc/coredns/" + COREFILE)
                        .withResources(resources("70Mi", "170Mi"))
                        .withSecurityContext(Pods.confined())
                        .withVolumeMounts(Pods.readOnly(CONFIGURATION, "/etc/coredns"))
                        .withReadinessProbe(probe("/ready", 8181, Pods.ProbeTimes.READINESS))
                        .withLivenessProbe(probe("/health", 8080, Pods.ProbeTimes.LIVENESS))
                        .build();
        };
    }

    private Arguments arguments() {
        return new Arguments()
                .set(
                        "cluster-cidrs",
                        spec.network().pods() + "," + spec.network().services())
                .set("cluster-dns", spec.network().dnsAddress().getHostAddress())
                .set("cluster-domain", ClusterSpec.CLUSTER_DOMAIN)
                .set("endpoint-slices", facts.requiredApiVersion("EndpointSlice"));
    }

    private List<Volume> volumes() {
        return switch (dns.provider()) {
            case OUROBOROS -> List.of();
            case COREDNS ->
                List.of(new VolumeBuilder()
                        .withName(CONFIGURATION)
                        .withNewConfigMap()
                        .withName(program.name())
                        .addNewItem()
                        .withKey(COREFILE)
                        .withPath(COREFILE)
                        .endItem()
                        .endConfigMap()
                        .build());
        };
    }

    private static ResourceRequirements resources(String memory, String limit) {
        return new ResourceRequirementsBuilder()
                .withRequests(new TreeMap<>(Map.of("cpu", new Quantity("50m"), "memory", new Quantity(memory))))
                .withLimits(Map.of("memory", new Quantity(limit)))
                .build();
    }

    private static ContainerPort port(String name, int number, String protocol) {
        return new ContainerPortBuilder()
                .withName(name)
                .withContainerPort(number)
                .withProtocol(protocol)
                .build();
    }

    private static Probe probe(String path, int port, Pods.ProbeTimes times) {
        return times.applyTo(new ProbeBuilder()
                        .withNewHttpGet()
                        .withPath(path)
                        .withPort(new IntOrString(port))
                        .endHttpGet())
                .build();
    }
}
