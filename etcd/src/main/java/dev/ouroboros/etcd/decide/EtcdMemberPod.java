package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.manifest.ManifestContainer;
import dev.ouroboros.render.understudy.PodYaml;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The manifest of a member of etcd, of which manifests of temporary members can be made.
 *
 * @param file its name, for messages
 * @param etcd what it says
 */
public record EtcdMemberPod(String file, String text, EtcdPod etcd) {
    static final String INITIAL_CLUSTER = "initial-cluster";
    static final String ADVERTISED_PEERS = "initial-advertise-peer-urls";
    static final String ADVERTISED_CLIENTS = "advertise-client-urls";
    private static final String LISTEN_CLIENTS = "listen-client-urls";
    private static final String LISTEN_PEERS = "listen-peer-urls";
    private static final String LISTEN_METRICS = "listen-metrics-urls";
    static final String DATA = "data-dir";
    private static final String QUOTA = "quota-backend-bytes";

    /** What clients, or the data, know the member by. */
    private static final List<String> SAME =
            List.of(DATA, "name", ADVERTISED_PEERS, LISTEN_PEERS, ADVERTISED_CLIENTS, LISTEN_CLIENTS);

    /** URLs that are of the node, or of its own ports. */
    static final List<String> MOVED =
            List.of(ADVERTISED_CLIENTS, LISTEN_CLIENTS, ADVERTISED_PEERS, LISTEN_PEERS, LISTEN_METRICS);

    private static final int HIGHEST = 65_535 - TemporaryMember.SECOND_DOOR.port(0);

    private static final String INITIAL_STATE = "initial-cluster-state";
    private static final String JOINS = "existing";

    private static final String FORCED = "force-new-cluster";
    static final String GIVE_MANIFEST = "give the manifest of etcd's static pod, as the kubelet has it";

    private static final String AS_OURS = "an etcd as 'ouro up' and kubeadm set it up";
    private static final String BY_HAND =
            "change it by hand, with an outage: write the new manifest into the kubelet's directory";

    /**
     * Reads a manifest.
     *
     * @throws ProblemException with everything that keeps it from having temporary members
     */
    public static EtcdMemberPod of(String file, String text) {
        Pod pod = PodYaml.parse(file, text, ErrorCode.INVALID_CONFIG, GIVE_MANIFEST);
        EtcdMemberPod lone = new EtcdMemberPod(file, text, EtcdPod.ofMember(file, pod));
        List<Problem> problems = new ArrayList<>();
        if (pod.getMetadata().getUid() != null && !pod.getMetadata().getUid().isEmpty()) {
            problems.add(
                    lone.problem("metadata.uid", "is set: the kubelet would take another manifest for the same pod"));
        }
        if (!Boolean.TRUE.equals(pod.getSpec().getHostNetwork())) {
            problems.add(lone.problem("spec.hostNetwork", "is not true: its members could not reach each other"));
        }
        CommandLine command = lone.commandLine();
        if (command.value("config-file").isPresent()) {
            problems.add(lone.problem("--config-file", "is set: its flags cannot be seen"));
        }
        // etcd reads each flag that is not given from there.
        Container container = container(pod);
        for (EnvVar variable : Objects.requireNonNullElse(container.getEnv(), List.<EnvVar>of())) {
            if (variable.getName().startsWith("ETCD_") && !variable.getName().equals("ETCD_UNSUPPORTED_ARCH")) {
                problems.add(
                        lone.problem("env: " + variable.getName(), "sets a flag, which is read from the command only"));
            }
        }
        if (container.getEnvFrom() != null && !container.getEnvFrom().isEmpty()) {
            problems.add(lone.problem("envFrom", "may set flags, which are read from the command only"));
        }
        if (command.isShell()) {
            problems.add(lone.problem("command", "is a shell's: its flags cannot be set"));
        }
        if (command.value(FORCED).filter(value -> !value.equals("false")).isPresent()) {
            problems.add(lone.problem("--" + FORCED, "is set: the member would forget the others at each start"));
        }
        for (String flag : List.of(ADVERTISED_CLIENTS, LISTEN_CLIENTS)) {
            if (urls(command, flag).isEmpty()
                    || urls(command, flag).stream().anyMatch(url -> !url.startsWith("https://"))) {
                problems.add(lone.problem("--" + flag, "is not only https URLs"));
            }
        }
        for (String flag : List.of(ADVERTISED_PEERS, LISTEN_PEERS)) {
            if (urls(command, flag).isEmpty()) {
                problems.add(lone.problem("--" + flag, "is not set: other members could not reach it"));
            }
        }
        if (command.value("listen-client-http-urls")
                .filter(urls -> !urls.isEmpty())
                .isPresent()) {
            problems.add(lone.problem(
                    "--listen-client-http-urls", "is set: temporary members would need ports for it, too"));
        }
        for (String flag : MOVED) {
            if (urls(command, flag).stream().anyMatch(url -> portOf(URI.create(url)) > HIGHEST)) {
                problems.add(lone.problem(
                        "--" + flag, "has a port above " + HIGHEST + ": temporary members get higher ones"));
            }
        }
        for (String flag : List.of("cert-file", "key-file", "trusted-ca-file")) {
            if (lone.fileOnNode(flag).isEmpty()) {
                problems.add(lone.problem("--" + flag, "names no file on a hostPath volume"));
            }
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return lone;
    }

    private Problem problem(String field, String what) {
        return new Problem(ErrorCode.UNSUPPORTED_CLUSTER, file + ": " + field, what, AS_OURS, BY_HAND);
    }

    /**
     * Requires that this one can be exchanged for another one while it is one of three members.
     *
     * @throws ProblemException with everything that forbids it
     */
    public void requireChangeableTo(EtcdMemberPod target) {
        List<Problem> problems = new ArrayList<>();
        if (!name(target).equals(name(this))) {
            problems.add(target.refusal("metadata.name", "is " + name(target) + ", another pod", name(this)));
        }
        for (String flag : SAME) {
            String now = commandLine().value(flag).orElse("");
            String then = target.commandLine().value(flag).orElse("");
            if (!now.equals(then)) {
                problems.add(target.refusal("--" + flag, "is \"" + then + "\"", now));
            }
        }
        if (target.quota().isEmpty()) {
            String quota = target.commandLine().value(QUOTA).orElse("");
            problems.add(new Problem(
                    ErrorCode.CHANGE_REFUSED,
                    target.file + ": --" + QUOTA,
                    "is \"" + quota + "\", which is no number",
                    "a number of bytes, as in 4000000000",
                    "write it as a number"));
        }
        if (!etcd.dataDirectory().equals(target.etcd.dataDirectory())) {
            problems.add(
                    target.refusal("volumes", "have the data in " + target.etcd.dataDirectory(), etcd.dataDirectory()));
        }
        if (etcd.version().isPresent() && target.etcd.version().isPresent()) {
            KubernetesVersion now = etcd.version().get();
            KubernetesVersion then = target.etcd.version().get();
            if (then.major() != now.major() || then.minor() < now.minor() || then.minor() > now.minor() + 1) {
                problems.add(target.refusal(
                        "image", "is of " + then, "one of " + now + " as now, or of the next minor version"));
            }
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private static String name(EtcdMemberPod pod) {
        return pod.etcd.namespace() + "/" + pod.etcd.podName();
    }

    private Problem refusal(String field, String what, String expected) {
        return new Problem(
                ErrorCode.CHANGE_REFUSED,
                file + ": " + field,
                what,
                expected.isEmpty() ? "not set, as now" : expected,
                "make the new manifest from the present one, and leave this as it is");
    }

    /** Whether the kubelet takes them for the same: it would not start etcd anew. */
    public boolean isSameAs(EtcdMemberPod other) {
        return pod().equals(other.pod());
    }

    public String containerName() {
        return container(pod()).getName();
    }

    public String image() {
        return container(pod()).getImage();
    }

    /**
     * The same member with another image or other flags.
     *
     * @param image empty for the one that it has
     * @param flags those that it is to have beside its others, by their names without the dashes
     */
    public EtcdMemberPod with(Optional<String> image, Map<String, String> flags) {
        Pod pod = pod();
        Container container = container(pod);
        image.ifPresent(container::setImage);
        CommandLine present = commandLine();
        Map<String, String> others = new LinkedHashMap<>(flags);
        // Set again, it would have another place on the command line, and the kubelet another pod.
        others.entrySet()
                .removeIf(flag -> present.value(flag.getKey())
                        .filter(flag.getValue()::equals)
                        .isPresent());
        if (!others.isEmpty()) {
            setFlags(container, others);
        }
        return of(file, PodYaml.write(pod));
    }

    /** Where clients reach the member. */
    public String clientUrl() {
        return urls(commandLine(), ADVERTISED_CLIENTS).getFirst();
    }

    /** Whether, started without data, it would begin an etcd of its own. */
    public boolean startsAlone() {
        return commandLine().value(INITIAL_STATE).filter(JOINS::equals).isEmpty();
    }

    /** The same member, which without data would not start: it would have to be added again. */
    public EtcdMemberPod joining() {
        return with(Optional.empty(), Map.of(INITIAL_STATE, JOINS));
    }

    /** The same member as the only one of its etcd; without data it would not start. */
    public EtcdMemberPod alone() {
        String peers = listed(etcd.memberName(), peerUrls()).collect(Collectors.joining(","));
        return with(Optional.empty(), Map.of(INITIAL_CLUSTER, peers, INITIAL_STATE, JOINS));
    }

    /** Where API servers reach a temporary member. */
    public String clientUrl(TemporaryMember member) {
        return moved(clientUrl(), member::port);
    }

    /** Where a temporary member is reached before API servers may come. */
    public String hiddenClientUrl(TemporaryMember member) {
        return moved(clientUrl(), member::hiddenPort);
    }

    /** Where the others reach the member. */
    public List<String> peerUrls() {
        return urls(commandLine(), ADVERTISED_PEERS);
    }

    /** Where the others reach a temporary member. */
    public List<String> peerUrls(TemporaryMember member) {
        return peerUrls().stream().map(url -> moved(url, member::port)).toList();
    }

    /** Where clients would reach the other members that it began with, if their ports are as its own. */
    public List<String> otherClientUrls() {
        return urls(commandLine(), INITIAL_CLUSTER).stream()
                .map(listed -> listed.substring(listed.indexOf('=') + 1))
                .filter(peer -> !peerUrls().contains(peer))
                .map(peer -> "https://" + URI.create(peer).getHost() + ":" + clientPort())
                .toList();
    }

    /** The port that clients come to. */
    public int clientPort() {
        return portOf(URI.create(clientUrl()));
    }

    /** The most that its database may take; empty when that is not understood. */
    public Optional<DatabaseQuota> quota() {
        return DatabaseQuota.of(commandLine().value(QUOTA));
    }

    /** The file on the node that a flag names. */
    public Optional<String> fileOnNode(String flag) {
        Pod pod = pod();
        return commandLine()
                .value(flag)
                .filter(path -> !path.isEmpty())
                .flatMap(path -> EtcdPod.onNode(pod, container(pod), path));
    }

    /** What the kubelet calls a temporary member's pod, without the node's name. */
    public String podName(TemporaryMember member) {
        return etcd.podName() + "-" + member.id();
    }

    /** Data of a temporary member, on the node: on the file system of the member that is changed, as etcd's disk is often one of its own. */
    public String dataDirectory(TemporaryMember member) {
        return etcd.dataDirectory() + directory(member);
    }

    private static String directory(TemporaryMember member) {
        return "/temporary-" + member.id();
    }

    /**
     * The manifest of a temporary member: the same program with the same flags, but for its name, data and ports. Whoever looks for members by labels or annotations finds
     * none; it asks for no share of the node, so that nothing is evicted for it.
     *
     * @param isOpen whether API servers may come
     */
    public String temporary(TemporaryMember member, boolean isOpen) {
        Pod pod = pod();
        pod.getMetadata().setName(podName(member));
        pod.getMetadata().setLabels(Map.of());
        pod.getMetadata().setAnnotations(Map.of());
        Container container = container(pod);
        container.setResources(new ResourceRequirements());
        setFlags(container, flags(member, isOpen));
        Stream.of(container.getReadinessProbe(), container.getStartupProbe(), container.getLivenessProbe())
                .filter(Objects::nonNull)
                .map(Probe::getHttpGet)
                .filter(Objects::nonNull)
                .forEach(get -> move(container, get, member));
        container.setPorts(List.of());
        return PodYaml.write(pod);
    }

    /** Its other flags stay. */
    static void setFlags(Container container, Map<String, String> flags) {
        CommandLine command = ManifestContainer.commandLine(container).with(flags);
        boolean hasCommand = !Objects.requireNonNullElse(container.getCommand(), List.<String>of())
                .isEmpty();
        container.setCommand(hasCommand ? command.words() : List.of());
        container.setArgs(hasCommand ? List.of() : command.words());
    }

    private static void move(Container container, HTTPGetAction get, TemporaryMember member) {
        EtcdPod.port(container, get).ifPresent(port -> get.setPort(new IntOrString(member.port(port))));
    }

    private Map<String, String> flags(TemporaryMember member, boolean isOpen) {
        CommandLine command = commandLine();
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("name", memberName(member));
        flags.put(DATA, command.value(DATA).orElseThrow() + directory(member));
        for (String flag : MOVED) {
            List<String> urls = urls(command, flag);
            boolean isHidden =
                    !isOpen && List.of(ADVERTISED_CLIENTS, LISTEN_CLIENTS).contains(flag);
            if (!urls.isEmpty()) {
                flags.put(
                        flag,
                        urls.stream()
                                .map(url -> moved(url, isHidden ? member::hiddenPort : member::port))
                                .collect(Collectors.joining(",")));
            }
        }
        flags.put(INITIAL_STATE, JOINS);
        // Those that are on the list when it starts, in the order in which they are added.
        flags.put(
                INITIAL_CLUSTER,
                Stream.concat(
                                listed(etcd.memberName(), peerUrls()),
                                Arrays.stream(TemporaryMember.values())
                                        .filter(each -> each.compareTo(member) <= 0)
                                        .flatMap(each -> listed(memberName(each), peerUrls(each))))
                        .collect(Collectors.joining(",")));
        return flags;
    }

    private String memberName(TemporaryMember member) {
        return etcd.memberName() + "-" + member.id();
    }

    private static Stream<String> listed(String name, List<String> peers) {
        return peers.stream().map(peer -> name + "=" + peer);
    }

    static String moved(String url, IntUnaryOperator port) {
        URI uri = URI.create(url);
        return uri.getScheme() + "://" + uri.getHost() + ":" + port.applyAsInt(portOf(uri));
    }

    static int portOf(URI uri) {
        return uri.getPort() < 0 ? Component.ETCD.port() : uri.getPort();
    }

    static List<String> urls(CommandLine command, String flag) {
        return command.value(flag).stream()
                .flatMap(value -> Stream.of(value.split(",", -1)))
                .map(String::strip)
                .filter(url -> !url.isEmpty())
                .toList();
    }

    CommandLine commandLine() {
        return ManifestContainer.commandLine(container(pod()));
    }

    /** Made anew, as it can be changed. */
    Pod pod() {
        return PodYaml.parse(file, text);
    }

    static Container container(Pod pod) {
        return ManifestContainer.in(pod.getSpec().getContainers(), Component.ETCD)
                .orElseThrow(() -> new IllegalStateException("it was read as etcd's"));
    }
}
