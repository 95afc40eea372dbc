package dev.ouroboros.host;

import dev.ouroboros.host.decide.CgroupDriver;
import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.host.decide.HostSettings.Role;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.kubelet.NodeName;
import dev.ouroboros.render.lint.ManifestFile;
import dev.ouroboros.render.manifest.CniSettings;
import dev.ouroboros.render.manifest.ContainerdSettings;
import dev.ouroboros.render.pki.Pem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a host is like before it is prepared. Reads only. */
final class HostInspection {
    private static final String STUB_RESOLVER = "127.0.0.53";
    private static final String RESOLVED = "/run/systemd/resolve/resolv.conf";
    private static final List<String> UNIT_DIRECTORIES =
            List.of("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system");
    private static final String DOCKERS_CONTAINERD = "/usr/share/doc/containerd.io";
    private static final String KUBECONFIG = HostFiles.KUBELET_ROOT + "/kubeconfig";
    private static final String ETCD_MEMBER = "/var/lib/etcd/member";

    private final HostTree tree;
    private final HostRecord record;

    HostInspection(HostTree tree, HostRecord record) {
        this.tree = tree;
        this.record = record;
    }

    /** sd_booted(3). */
    private boolean systemdRuns() {
        return exists("/run/systemd/system");
    }

    /** The file is in the root of a cgroup v2 hierarchy. */
    CgroupDriver fittingDriver() {
        return CgroupDriver.fitting(!tree.isThisMachine() || exists("/sys/fs/cgroup/cgroup.controllers"));
    }

    boolean mayLowerOomScore() {
        return !tree.isThisMachine()
                || text("/proc/self/status")
                        .map(ContainerdSettings::mayLowerOomScore)
                        .orElse(true);
    }

    /** systemd-resolved's stub listens on the host's loopback, where no pod reaches it; its own file names the servers. */
    Optional<String> resolvConf() {
        boolean stub = text("/etc/resolv.conf").stream()
                .flatMap(String::lines)
                .anyMatch(line -> line.startsWith("nameserver") && line.endsWith(STUB_RESOLVER));
        return stub && exists(RESOLVED) ? Optional.of(RESOLVED) : Optional.empty();
    }

    /** The node that this host was made. An earlier ouro did not record it: then the kubelet's base generation tells. */
    Optional<HostRecord.Node> node() {
        return record.node()
                .or(() -> Optional.of(HostFiles.KUBELET_BASE + "/" + KubeletLayout.GENERATION)
                        .filter(path -> record.files().containsKey(path))
                        .flatMap(this::text)
                        .flatMap(HostInspection::made));
    }

    private static Optional<HostRecord.Node> made(String generation) {
        try {
            return HostRecord.Node.of(KubeletGeneration.read(generation));
        } catch (MalformedJson e) {
            // Somebody edited it: the plan names it as edited, and what it says is not relied on.
            return Optional.empty();
        }
    }

    /** Whether a kubelet here has, or has asked for, a certificate of its own. */
    boolean hasJoined() {
        return exists(KUBECONFIG);
    }

    /** The name that this host's kubelet gives its Node. */
    Optional<String> nodeName() {
        return text(NodeName.FILE).flatMap(NodeName::of);
    }

    /** Docker's package of containerd has runc too, and Debian's would replace it, and Docker. */
    List<String> packages(List<String> all) {
        return exists(DOCKERS_CONTAINERD)
                ? all.stream()
                        .filter(name -> !name.equals("containerd") && !name.equals("runc"))
                        .toList()
                : all;
    }

    /** What stands against preparing the host, whatever its cluster is. */
    List<Problem> problems(Role role, boolean podNetwork) {
        List<Problem> problems = new ArrayList<>();
        if (tree.isThisMachine()) {
            if (!systemdRuns()) {
                problems.add(new Problem(
                        ErrorCode.MISSING_TOOL,
                        "this machine",
                        "is not run by systemd",
                        "a machine that systemd booted",
                        "use 'ouro up' for a sandbox, or --root DIR for the disk of another machine"));
            }
            if (!exists("/usr/bin/dpkg")) {
                problems.add(
                        new Problem(
                                ErrorCode.MISSING_TOOL,
                                "this machine",
                                "has no dpkg",
                                "Debian 12 or a system like it",
                                "install containerd, runc, CNI plugins, nftables, iptables and conntrack yourself; see docs/real-hosts.md"));
            }
        }
        foreignKubelet()
                .forEach(path -> problems.add(new Problem(
                        ErrorCode.FOREIGN_FILE,
                        path,
                        "belongs to another kubelet",
                        "a host without one",
                        "remove that kubelet ('kubeadm reset' first, which ends its pods, then its package)")));
        foreignPods(role)
                .forEach(path -> problems.add(new Problem(
                        ErrorCode.FOREIGN_FILE,
                        path,
                        "is a pod of somebody's, which the kubelet would start",
                        "none",
                        "run 'kubeadm reset' if it is of a former kubeadm, or move it away")));
        if (podNetwork) {
            foreignNetworks()
                    .forEach(path -> problems.add(new Problem(
                            ErrorCode.FOREIGN_FILE,
                            path,
                            "is another pod network, of which containerd takes the first by name",
                            "none",
                            "move it away, or keep it and say --no-pod-network")));
        }
        return problems;
    }

    /** A kubelet that has a certificate goes on with the cluster that gave it, whatever it is told to join. */
    Optional<Problem> otherCluster(List<X509Certificate> authorities) {
        List<X509Certificate> theirs = text(KUBECONFIG).stream()
                .flatMap(text -> ManifestFile.manifests(text, KUBECONFIG).stream())
                .flatMap(kubeconfig -> kubeconfig.at("clusters").items().stream())
                .flatMap(cluster -> cluster.at("cluster", "certificate-authority-data").text().stream())
                .flatMap(data ->
                        Pem.certificates(new String(Base64.getMimeDecoder().decode(data), StandardCharsets.US_ASCII)))
                .toList();
        if (theirs.isEmpty() || authorities.isEmpty() || theirs.stream().anyMatch(authorities::contains)) {
            return Optional.empty();
        }
        return Optional.of(new Problem(
                ErrorCode.CHANGE_REFUSED,
                tree.at(KUBECONFIG).toString(),
                "this machine's kubelet is of another cluster, whose authority is "
                        + theirs.getFirst().getSubjectX500Principal(),
                "a machine that is no node yet",
                "give it back first, with its data: ouro host reset --delete-data"));
    }

    /** What a person should know of this host although it does not stand in the way. */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (exists("/etc/containerd/config.toml")) {
            notes.add("/etc/containerd/config.toml stays as it is, and is not read while containerd reads "
                    + HostFiles.CONTAINERD_CONFIG);
        }
        if (record.files().isEmpty() && exists(ETCD_MEMBER)) {
            notes.add("/var/lib/etcd has the data of an etcd: it goes on with them");
        }
        if (record.files().isEmpty() && hasJoined()) {
            notes.add(KUBECONFIG + ": a kubelet here has joined before, and does not join anew while this is there");
        }
        if (!exists("/etc/hosts") && tree.isThisMachine()) {
            notes.add("there is no /etc/hosts: the API server may not find this node by its name");
        }
        return notes;
    }

    /**
     * Static pods of somebody else, which a kubelet of ours would start: kubeadm leaves its own when its packages are removed without a reset.
     * What a reset of ours left with its data is ours, and manifests of start, keeper and agent say whose they are.
     */
    private Stream<String> foreignPods(Role role) {
        if (!record.files().isEmpty() || record.dataLeft()) {
            return Stream.of();
        }
        return tree.disk().list(tree.at(HostFiles.MANIFESTS)).stream()
                // As the kubelet does it.
                .filter(name -> !name.startsWith("."))
                .map(name -> HostFiles.MANIFESTS + "/" + name)
                // The plan compares the manifest of etcd where the host is to have one.
                .filter(path -> role != Role.CONTROL_PLANE || !path.equals(HostFiles.ETCD_MANIFEST))
                .filter(path -> !isDirectory(path))
                .filter(path -> !text(path).orElse("").contains(Understudy.OWNER_ANNOTATION));
    }

    private boolean isDirectory(String path) {
        return tree.disk().status(tree.at(path)).map(FileStatus::kind).equals(Optional.of(FileStatus.Kind.DIRECTORY));
    }

    List<String> foreignKubelet() {
        List<String> found = new ArrayList<>();
        for (String directory : UNIT_DIRECTORIES) {
            String unit = directory + "/kubelet.service";
            if (!unit.equals(HostFiles.KUBELET_UNIT) && exists(unit) && !isLink(directory)) {
                found.add(unit);
            }
            String dropIns = unit + ".d";
            names(dropIns).map(name -> dropIns + "/" + name).forEach(found::add);
        }
        return found.stream().distinct().toList();
    }

    /** Whether the pods' network of a host is ours. */
    static boolean hasPodNetwork(HostRecord record) {
        return record.files().keySet().stream().anyMatch(path -> path.startsWith(CniSettings.DIRECTORY + "/"));
    }

    private Stream<String> foreignNetworks() {
        return names(CniSettings.DIRECTORY)
                .filter(name -> name.endsWith(".conf") || name.endsWith(".conflist") || name.endsWith(".json"))
                .map(name -> CniSettings.DIRECTORY + "/" + name)
                .filter(path -> !record.files().containsKey(path))
                .filter(path -> !(path.equals(CniSettings.GENERATED) && hasPodNetwork(record)));
    }

    /** Whether a directory is a link, as /lib is where /usr was merged: it would be the same directory a second time. */
    private boolean isLink(String directory) {
        return directory.startsWith("/lib/")
                && tree.disk()
                        .status(tree.at("/lib"))
                        .map(status -> status.kind() == FileStatus.Kind.OTHER)
                        .orElse(true);
    }

    private Stream<String> names(String directory) {
        return tree.disk().list(tree.at(directory)).stream().filter(name -> !name.startsWith(Disk.TEMPORARY_PREFIX));
    }

    private boolean exists(String path) {
        Path file = tree.at(path);
        return tree.disk().status(file).isPresent();
    }

    private Optional<String> text(String path) {
        return tree.disk().readText(tree.at(path));
    }
}
