package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.understudy.PodYaml;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Probe;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The manifest of a member of etcd on another node, made of the one of a member that runs: the same program, flags and places, another name and address. */
public final class EtcdMemberCopy {
    private static final String BY_HAND = "add the member by hand, with etcdctl member add and a manifest of your own";

    /** What names of certificates are compared with: that of a new member may be another one. */
    private static final List<String> NAMES_OF_CERTIFICATES =
            List.of("peer-cert-allowed-cn", "peer-cert-allowed-hostname", "client-cert-allowed-hostname");

    private static final List<String> CERTIFICATES = List.of(
            "peer-cert-file", "peer-key-file", "peer-trusted-ca-file", "cert-file", "key-file", "trusted-ca-file");

    private final EtcdMemberPod present;
    private final String host;

    private EtcdMemberCopy(EtcdMemberPod present, String host) {
        this.present = present;
        this.host = host;
    }

    /**
     * Of a member that runs.
     *
     * @throws ProblemException with everything for which no other node's manifest can be made of it
     */
    public static EtcdMemberCopy of(EtcdMemberPod present) {
        List<Problem> problems = new ArrayList<>();
        String host = URI.create(present.clientUrl()).getHost();
        if (Cidr.address(bare(host)).isEmpty()) {
            problems.add(problem(
                    present, "--" + EtcdMemberPod.ADVERTISED_CLIENTS, "has the name " + host + ", not an address"));
        }
        for (String peer : present.peerUrls()) {
            if (!host.equals(URI.create(peer).getHost())) {
                problems.add(problem(
                        present,
                        "--" + EtcdMemberPod.ADVERTISED_PEERS,
                        "is " + peer + ", at another address than " + present.clientUrl()));
            }
        }
        for (String flag : NAMES_OF_CERTIFICATES) {
            if (present.commandLine()
                    .value(flag)
                    .filter(value -> !value.isEmpty())
                    .isPresent()) {
                problems.add(problem(present, "--" + flag, "is set: certificates are made without it"));
            }
        }
        for (String flag : CERTIFICATES) {
            if (present.fileOnNode(flag).isEmpty()) {
                problems.add(problem(present, "--" + flag, "names no file on a hostPath volume"));
            }
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return new EtcdMemberCopy(present, host);
    }

    private static Problem problem(EtcdMemberPod present, String field, String what) {
        return new Problem(
                ErrorCode.UNSUPPORTED_CLUSTER,
                present.file() + ": " + field,
                what,
                "an etcd as 'ouro up' and kubeadm set it up",
                BY_HAND);
    }

    /** Where the others reach the member of a node with this address. */
    public List<String> peerUrls(InetAddress address) {
        return present.peerUrls().stream().map(url -> moved(url, address)).toList();
    }

    /** Where clients reach the member of a node with this address. */
    public String clientUrl(InetAddress address) {
        return moved(present.clientUrl(), address);
    }

    /** Of the family of the member that runs. */
    public boolean isOfItsFamily(InetAddress address) {
        return Cidr.address(bare(host))
                .filter(own -> own instanceof Inet6Address == address instanceof Inet6Address)
                .isPresent();
    }

    /**
     * The manifest for a node.
     *
     * @param others each member that is on the list when this one starts, as in {@code name=https://10.0.0.5:2380}
     */
    public String yaml(String name, InetAddress address, List<String> others) {
        Pod pod = present.pod();
        Map<String, String> annotations =
                Objects.requireNonNullElse(pod.getMetadata().getAnnotations(), Map.<String, String>of());
        pod.getMetadata()
                .setAnnotations(annotations.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> movedIfUrl(each.getValue(), address))));
        Container container = EtcdMemberPod.container(pod);
        EtcdMemberPod.setFlags(container, flags(name, address, others));
        Stream.of(container.getReadinessProbe(), container.getStartupProbe(), container.getLivenessProbe())
                .filter(Objects::nonNull)
                .map(Probe::getHttpGet)
                .filter(get -> get != null && bare(host).equals(get.getHost()))
                .forEach(get -> get.setHost(address.getHostAddress()));
        return PodYaml.write(pod);
    }

    private Map<String, String> flags(String name, InetAddress address, List<String> others) {
        CommandLine command = present.commandLine();
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("name", name);
        for (String flag : EtcdMemberPod.MOVED) {
            List<String> urls = EtcdMemberPod.urls(command, flag);
            if (!urls.isEmpty()) {
                flags.put(
                        flag, urls.stream().map(url -> movedIfUrl(url, address)).collect(Collectors.joining(",")));
            }
        }
        flags.put("initial-cluster-state", "existing");
        flags.put(
                EtcdMemberPod.INITIAL_CLUSTER,
                Stream.concat(others.stream(), peerUrls(address).stream().map(peer -> name + "=" + peer))
                        .collect(Collectors.joining(",")));
        return flags;
    }

    private String movedIfUrl(String value, InetAddress address) {
        return value.matches("https?://\\S+") && host.equals(URI.create(value).getHost())
                ? moved(value, address)
                : value;
    }

    private static String moved(String url, InetAddress address) {
        URI uri = URI.create(url);
        String literal = address.getHostAddress();
        return uri.getScheme() + "://" + (address instanceof Inet6Address ? "[" + literal + "]" : literal) + ":"
                + EtcdMemberPod.portOf(uri);
    }

    private static String bare(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }
}
