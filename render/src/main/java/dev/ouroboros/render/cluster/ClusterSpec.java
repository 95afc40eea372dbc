package dev.ouroboros.render.cluster;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.version.KubernetesVersion;
import java.net.InetAddress;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cluster as its owner wants it: checked, with every default filled in. {@code dev.ouroboros.render.config} makes one from a
 * {@code Cluster} document or from flags.
 *
 * @param extraArguments by component and flag, without dashes; they win over what render would pass
 * @param proxyMode empty for a cluster without kube-proxy
 * @param keeper empty for a cluster without one
 * @param dns empty for a cluster whose DNS is the owner's business
 * @param steward empty for a cluster without one
 * @param addOns directory with manifests to take over
 */
public record ClusterSpec(
        String name,
        KubernetesVersion version,
        ApiServer apiServer,
        Network network,
        Etcd etcd,
        ImageNames images,
        Map<Component, SortedMap<String, String>> extraArguments,
        Encryption encryption,
        Pki pki,
        Optional<String> proxyMode,
        Optional<Keeper> keeper,
        Optional<Dns> dns,
        Optional<Steward> steward,
        boolean externalCloudProvider,
        Optional<String> addOns) {
    /** The DNS domain of Services. */
    public static final String CLUSTER_DOMAIN = "cluster.local";

    /** The flag with which API server, controller manager and scheduler serve as an older version (KEP-4330). */
    public static final String EMULATED_VERSION_FLAG = "emulated-version";

    private static final int DNS_ADDRESS = 10;

    public ClusterSpec {
        extraArguments = Collections.unmodifiableMap(new TreeMap<>(extraArguments));
    }

    /** Arguments the owner adds to a component. */
    public SortedMap<String, String> extraArgumentsOf(Component component) {
        return extraArguments.getOrDefault(component, Collections.emptySortedMap());
    }

    /** Whether the control plane begins on several nodes. */
    public boolean hasSeveralServers() {
        return apiServer.endpoints().size() > 1;
    }

    /** The older version as which the control plane serves, if it does. */
    public Optional<KubernetesVersion> emulatedVersion() {
        return Optional.ofNullable(extraArgumentsOf(Component.API_SERVER).get(EMULATED_VERSION_FLAG))
                .flatMap(KubernetesVersion::parse);
    }

    /**
     * How clients reach the API server.
     *
     * @param endpoints URLs; the first is the one in kubeconfigs
     * @param port the port of all endpoints, on which the API server listens
     * @param names what its certificate is issued for besides Kubernetes' own names
     */
    public record ApiServer(List<String> endpoints, int port, List<AlternativeName> names) {
        public ApiServer {
            endpoints = List.copyOf(endpoints);
            names = List.copyOf(names);
            if (endpoints.isEmpty()) {
                throw new IllegalArgumentException("an API server needs an endpoint");
            }
        }

        /** The address in every kubeconfig. */
        public String endpoint() {
            return endpoints.getFirst();
        }
    }

    /** Addresses of pods and Services. */
    public record Network(Cidr pods, Cidr services) {
        /** Address of the {@code kubernetes} Service: the first of the block. */
        public InetAddress apiServiceAddress() {
            return services.at(1);
        }

        /** Where cluster DNS is expected, as bootkube and kubeadm do. */
        public InetAddress dnsAddress() {
            return dnsAddressIn(services);
        }

        /** The same for a cluster of which no more is known than its block of Services. */
        public static InetAddress dnsAddressIn(Cidr services) {
            return services.at(DNS_ADDRESS);
        }
    }

    /**
     * The etcd that holds the cluster's state.
     *
     * @param hosts host parts of the URLs, each once: two ports of a host are two doors to its member
     */
    public record Etcd(List<String> servers, List<String> hosts, EtcdSecurity security) {
        public Etcd {
            servers = List.copyOf(servers);
            hosts = hosts.stream().distinct().toList();
        }
    }

    /** How the API server and etcd trust each other. */
    public sealed interface EtcdSecurity {
        /** Plain HTTP. */
        record None() implements EtcdSecurity {}

        /** A CA of ours with certificates for the servers, their peers and the API server. */
        record Ours() implements EtcdSecurity {}

        /** Files of the owner's etcd. */
        record Files(String caCertificate, String certificate, String privateKey) implements EtcdSecurity {}
    }

    /**
     * The keeper.
     *
     * @param runtimeSocket where the nodes' container runtime listens
     * @param extraArguments by flag, without dashes; they win over what render would pass
     */
    public record Keeper(String runtimeSocket, SortedMap<String, String> extraArguments) {
        public Keeper {
            extraArguments = Collections.unmodifiableSortedMap(new TreeMap<>(extraArguments));
        }
    }

    /**
     * The cluster's DNS.
     *
     * @param image of the provider
     */
    public record Dns(DnsProvider provider, String image) {}

    /**
     * What manages the cluster from inside: certificates, kubelets, snapshots.
     *
     * @param runtimeSocket where the nodes' container runtime listens
     * @param managesEtcd whether members of etcd are its business too; else they are the owner's
     */
    public record Steward(String image, String runtimeSocket, boolean managesEtcd) {}

    /** Who answers for the names of Services. */
    public enum DnsProvider {
        /** CoreDNS, as kubeadm sets it up. */
        COREDNS,
        /** Our own, which {@code ouro images} builds. */
        OUROBOROS;

        /** As in a Cluster document. */
        public String field() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Encryption of Secrets in etcd. */
    public record Encryption(boolean enabled, EncryptionProvider provider) {}

    /** Ciphers that every supported version has. */
    public enum EncryptionProvider {
        /** XSalsa20 and Poly1305: authenticated, random 24-byte nonces never repeat. The default. */
        SECRETBOX,
        /** AES-GCM: needs a new key every 200,000 writes. */
        AESGCM,
        /** AES-CBC: not authenticated. */
        AESCBC;

        /** As in an EncryptionConfiguration. */
        public String field() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * How keys and certificates are made.
     *
     * @param ownCa certificate and key of a CA to issue the cluster's certificates with, instead of a new one
     */
    public record Pki(KeyAlgorithm algorithm, Optional<CaFiles> ownCa) {}

    /** Paths of a certification authority's PEM files. */
    public record CaFiles(String certificate, String privateKey) {}
}
