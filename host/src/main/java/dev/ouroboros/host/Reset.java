package dev.ouroboros.host;

import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.front.BalancerTable;
import dev.ouroboros.model.front.FrontTable;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.net.IpRoute;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.manifest.CniSettings;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Takes away from a host what {@code prepare} wrote, and nothing else.
 *
 * <ol>
 *   <li>Stop and disable the kubelet, end its pods, remove their network, what they and kube-proxy have in the kernel, and the front.
 *   <li>Remove what prepare wrote and nobody edited, give kernel variables their former values.
 *   <li>Start containerd as it was before, or stop it.
 *   <li>With {@code deleteData}, remove what etcd, the kubelet, start and the keeper kept; of etcd's directory only what etcd has there.
 *   <li>Look for everything again. The record of what was ours goes last: a reset that was killed goes on when it is run again. While data are kept it says that.
 * </ol>
 */
public final class Reset {
    private static final String ETCD_DATA = EtcdStaticPod.DEFAULT_DATA_DIRECTORY;
    /** Directories with data that a cluster leaves on its node and prepare did not write; etcd's first. */
    private static final List<String> DATA = Stream.of(
                    Stream.of(
                            ETCD_DATA,
                            EtcdStaticPod.DEFAULT_TLS_DIRECTORY,
                            HostFiles.KUBELET_ROOT,
                            KubeletLayout.DIRECTORY,
                            HostFiles.MANIFESTS,
                            AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY),
                    StateLayout.OF_CLUSTER.stream().map(StateLayout::path),
                    Stream.of("/var/lib/cni", "/var/log/pods", "/var/log/containers"))
            .flatMap(paths -> paths)
            .toList();

    /**
     * What is of ours in etcd's directory: its data, also those of before a restore or a removal, those of temporary members, and what a restore has not
     * finished. Debian's etcd has its own beside them, in {@code default}.
     */
    private static final Pattern OF_ETCD = Pattern.compile("member(\\..+)?|temporary-.+|\\.ouroboros-.+");

    /** The kubelet's units in the order in which they are stopped: the guard would start the kubelet again. */
    private static final List<String> KUBELET_UNITS =
            List.of(HostChanges.GUARD_PATH, HostChanges.GUARD, HostChanges.KUBELET);

    private final HostTree tree;
    private final Processes processes;
    private final Systemd systemd;
    private final PodRemains pods;
    private final KernelRemains kernel;
    private final Consumer<String> progress;

    /** @param limit how long one step may take */
    public Reset(HostTree tree, Processes processes, InstantSource time, Duration limit, Consumer<String> progress) {
        this.tree = tree;
        this.processes = processes;
        this.systemd = new Systemd(processes, limit);
        this.pods = new PodRemains(tree, processes, time, limit);
        this.kernel = new KernelRemains(tree, processes, systemd);
        this.progress = progress;
    }

    /**
     * What would be done.
     *
     * @param files that are removed
     * @param edited files that somebody changed: they are kept
     * @param data directories that are removed with everything in them
     * @param kept directories that have data, and are kept
     * @param others what is in etcd's directory and not of the cluster: it is kept always
     */
    public record Planned(
            HostRecord record,
            List<String> files,
            List<String> edited,
            List<String> data,
            List<String> kept,
            List<String> others) {
        public boolean isNothing() {
            return record.equals(HostRecord.empty()) || (record.isOfDataAlone() && !kept.isEmpty());
        }
    }

    /**
     * Plans a reset.
     *
     * @throws ProblemException CHANGE_REFUSED while others count on the node's member of etcd, FOREIGN_FILE where the data may belong to another
     * kubelet by now
     */
    public Planned plan(boolean deleteData) {
        HostRecord record = tree.record();
        requireNobodyCountsOnItsEtcd(record);
        Map<String, String> present = tree.digests(record.files().keySet());
        List<String> ours = new ArrayList<>();
        List<String> edited = new ArrayList<>();
        present.forEach((path, digest) -> (record.wrote(path, digest) ? ours : edited).add(path));
        // containerd made it of our template when the node had its addresses.
        if (record.files().containsKey(CniSettings.TEMPLATE)
                && tree.disk().status(tree.at(CniSettings.GENERATED)).isPresent()) {
            ours.add(CniSettings.GENERATED);
        }
        List<String> data =
                DATA.stream().filter(path -> hasOthers(path, record, edited)).toList();
        List<String> others = children(ETCD_DATA)
                .filter(path -> !isOfCluster(path) && !record.directories().contains(path))
                .toList();
        if (deleteData && record.isOfDataAlone()) {
            requireNoOtherKubelet(record);
        }
        if (!deleteData) {
            return new Planned(record, ours, edited, List.of(), data, others);
        }
        List<String> all = DATA.stream()
                .filter(path -> data.contains(path) || isEmptyDirectoryOfOthers(path, record))
                .toList();
        return new Planned(record, ours, edited, all, List.of(), others);
    }

    /**
     * Refuses while other nodes count on this node's member of etcd. The mark says that members were added to its etcd, not that they are still
     * there, which only etcd knows: where they left by hand the mark stays until a person removes it.
     */
    private void requireNobodyCountsOnItsEtcd(HostRecord record) {
        String added = StateLayout.path(StateLayout.ETCD_MEMBERS_ADDED);
        boolean hasMember = tree.disk().status(tree.at(HostFiles.ETCD_MANIFEST)).isPresent();
        if (!hasMember || record.equals(HostRecord.empty())) {
            return;
        }
        if (!record.files().containsKey(HostFiles.ETCD_MANIFEST)) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    HostFiles.ETCD_MANIFEST,
                    "is of a member of etcd that joined, which others count on",
                    "a node without one",
                    "have it leave first: ouro etcd leave; where the whole cluster is to go, remove that file");
        }
        if (tree.disk().status(tree.at(added)).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    added,
                    "members were added to the etcd of this node, and count on its own",
                    "a node without one",
                    "have it leave first: ouro etcd leave; where it is the only one again, or the whole cluster is to go, remove that file");
        }
    }

    /** Refuses where data that an earlier reset left may be somebody else's by now: kubeadm has its own in the same places. */
    private void requireNoOtherKubelet(HostRecord record) {
        List<Problem> problems = new HostInspection(tree, record)
                .foreignKubelet().stream()
                        .map(
                                path -> new Problem(
                                        ErrorCode.FOREIGN_FILE,
                                        path,
                                        "belongs to another kubelet, whose data these may be",
                                        "a host without one",
                                        "remove that kubelet first ('kubeadm reset', then its package); or leave the data to it"))
                        .toList();
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    /**
     * Performs the plan.
     *
     * @return what is left and should not be; then the record stays, and the next run goes on
     */
    public List<String> run(Planned planned) {
        if (tree.isThisMachine()) {
            endPods(planned.record());
        } else {
            planned.record().enabled().forEach(this::disableOffline);
            if (planned.record().packages().contains(Preparation.CONTAINERD)) {
                disableOffline(HostChanges.CONTAINERD);
            }
        }
        planned.files().forEach(path -> tree.disk().delete(tree.at(path)));
        progress.accept("removed " + planned.files().size() + " files");
        if (tree.isThisMachine()) {
            restoreSysctls(planned.record());
            restoreContainerd(planned.record());
        }
        for (String path : planned.data()) {
            deleteData(path, planned.edited());
        }
        List<String> left = left(planned);
        if (left.isEmpty() && planned.kept().isEmpty()) {
            removeRecord();
        }
        removeDirectories(planned.record());
        if (left.isEmpty() && !planned.kept().isEmpty()) {
            // After this run nothing but the record tells that the data are ours, and may be deleted later.
            tree.save(planned.record()
                    .ofDataAlone(planned.record().directories().stream()
                            .filter(path -> tree.disk().status(tree.at(path)).isPresent())
                            .toList()));
        }
        return left;
    }

    private void endPods(HostRecord record) {
        if (!record.files().containsKey(HostFiles.KUBELET_UNIT)) {
            return;
        }
        progress.accept("stopping the kubelet");
        for (String unit : KUBELET_UNITS) {
            if (systemd.knows(unit)) {
                systemd.stop(unit);
                disable(unit, record);
            }
        }
        progress.accept("ending its pods");
        if (systemd.knows(HostChanges.CONTAINERD)) {
            // Containers go on when containerd is stopped, and only containerd knows them.
            if (!systemd.isActive(HostChanges.CONTAINERD)) {
                systemd.restart(HostChanges.CONTAINERD);
            }
            pods.endContainers();
        }
        pods.endShims();
        pods.removeMounts();
        pods.removeNetworks(HostInspection.hasPodNetwork(record));
        kernel.removeChains();
        kernel.removeControlGroups();
        if (!routes().isEmpty()) {
            for (String family : List.of("-4", "-6")) {
                processes.run(Command.of("ip", family, "route", "flush", "proto", Integer.toString(IpRoute.OF_PODS)));
            }
        }
        for (String table : tables()) {
            processes
                    .run(Command.of("nft", "delete", "table", FrontTable.FAMILY, table))
                    .orThrow();
        }
    }

    /** The routes to pods of other nodes, which keeper or agent made. */
    private String routes() {
        return Stream.of("-4", "-6")
                .map(family -> processes
                        .run(Command.of("ip", family, "route", "show", "proto", Integer.toString(IpRoute.OF_PODS)))
                        .output())
                .collect(Collectors.joining())
                .strip();
    }

    /** The nftables tables of ours that the kernel has. */
    private List<String> tables() {
        return Stream.of(FrontTable.NAME, BalancerTable.NAME)
                .filter(table -> processes
                        .run(Command.of("nft", "list", "table", FrontTable.FAMILY, table))
                        .succeeded())
                .toList();
    }

    /** Gives kernel variables their former values; one that somebody has changed since keeps its own. */
    private void restoreSysctls(HostRecord record) {
        record.sysctls().forEach((name, before) -> {
            Path file = tree.at("/proc/sys/" + name);
            String ours =
                    HostFiles.SYSCTL_VALUES.getOrDefault(name, HostFiles.KUBELET_SYSCTL_VALUES.getOrDefault(name, ""));
            boolean unchanged = tree.disk()
                    .readText(file)
                    .map(value -> value.strip().equals(ours))
                    .orElse(false);
            if (unchanged && !before.equals(ours)) {
                // A file of the kernel is written in place.
                processes
                        .run(Command.of("sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", before, file.toString()))
                        .orThrow();
            }
        });
    }

    private void restoreContainerd(HostRecord record) {
        systemd.reload();
        if (!systemd.knows(HostChanges.CONTAINERD)) {
            return;
        }
        boolean cameWithUs = record.packages().contains(Preparation.CONTAINERD);
        boolean wasOff = record.enabled().contains(HostChanges.CONTAINERD);
        if (cameWithUs && !wasOff && systemd.isActive(HostChanges.CONTAINERD) && pods.othersUseContainerd()) {
            progress.accept("starting containerd with its own configuration: others have containers in it");
            systemd.restart(HostChanges.CONTAINERD);
        } else if (cameWithUs || wasOff) {
            progress.accept(
                    wasOff
                            ? "stopping containerd, which was off before"
                            : "stopping and disabling containerd: its package was installed by prepare, and stays; to use it: systemctl enable --now containerd");
            systemd.stop(HostChanges.CONTAINERD);
            if (systemd.isEnabled(HostChanges.CONTAINERD)) {
                systemd.disable(HostChanges.CONTAINERD);
            }
        } else if (record.files().containsKey(HostFiles.CONTAINERD_UNIT)) {
            progress.accept("starting containerd with its own configuration");
            systemd.restart(HostChanges.CONTAINERD);
        }
    }

    private void disable(String unit, HostRecord record) {
        if (record.enabled().contains(unit) && systemd.isEnabled(unit)) {
            systemd.disable(unit);
        }
    }

    /** Disables a unit on another machine's disk, before its file is removed: without the file systemctl does not know the unit. */
    private void disableOffline(String unit) {
        String root = "--root=" + tree.root();
        if (processes
                .run(Command.of("systemctl", root, "is-enabled", "--quiet", unit))
                .succeeded()) {
            processes
                    .run(Command.of("systemctl", root, "disable", "--quiet", unit))
                    .orThrow();
        }
    }

    private boolean hasOthers(String directory, HostRecord record, List<String> edited) {
        if (isFile(directory)) {
            return true;
        }
        return children(directory)
                .filter(Reset::isOfCluster)
                .anyMatch(path -> !record.files().containsKey(path)
                        && !record.directories().contains(path)
                        && !isKept(path, edited));
    }

    private Stream<String> children(String directory) {
        return tree.disk().list(tree.at(directory)).stream().map(name -> directory + "/" + name);
    }

    /** Whether what lies in one of the cluster's directories is the cluster's: in etcd's it may be Debian's, in the others everything is. */
    private static boolean isOfCluster(String path) {
        return !path.startsWith(ETCD_DATA + "/")
                || OF_ETCD.matcher(path.substring(ETCD_DATA.length() + 1)).matches();
    }

    /** Whether somebody edited this file, or one below this directory. */
    private static boolean isKept(String path, List<String> edited) {
        return edited.stream().anyMatch(kept -> kept.equals(path) || kept.startsWith(path + "/"));
    }

    /**
     * Whether a directory is empty and may be removed although it is not recorded: {@code start} leaves that of the temporary control plane's secrets
     * so.
     */
    private boolean isEmptyDirectoryOfOthers(String path, HostRecord record) {
        boolean mayBeOurs = !path.equals(ETCD_DATA) || record.files().containsKey(HostFiles.ETCD_MANIFEST);
        return mayBeOurs
                && !isFile(path)
                && tree.disk().status(tree.at(path)).isPresent()
                && tree.disk().list(tree.at(path)).isEmpty()
                && !record.directories().contains(path)
                && !pods.isMount(path);
    }

    private boolean isFile(String path) {
        return tree.disk()
                .status(tree.at(path))
                .map(status -> status.kind() == FileStatus.Kind.FILE)
                .orElse(false);
    }

    /** Deletes the data in a directory. A directory that is a mount stays, and so does what somebody edited. */
    private void deleteData(String directory, List<String> edited) {
        progress.accept("removing the data in " + tree.at(directory));
        if (isFile(directory)) {
            tree.disk().delete(tree.at(directory));
            return;
        }
        for (String path : children(directory).filter(Reset::isOfCluster).toList()) {
            if (!isKept(path, edited)) {
                tree.disk().deleteTree(tree.at(path));
            } else if (!edited.contains(path)) {
                deleteData(path, edited);
            }
        }
        if (tree.disk().list(tree.at(directory)).isEmpty() && !pods.isMount(directory)) {
            tree.disk().delete(tree.at(directory));
        }
    }

    /**
     * Looks for everything again.
     *
     * @return what is still there and should not be
     */
    private List<String> left(Planned planned) {
        List<String> left = new ArrayList<>();
        planned.files().stream()
                .filter(path -> tree.disk().status(tree.at(path)).isPresent())
                .forEach(path -> left.add("file " + path));
        planned.data().stream()
                .filter(path -> hasOthers(path, HostRecord.empty(), planned.edited()))
                .forEach(path -> left.add("data in " + path));
        if (!tree.isThisMachine()) {
            return left;
        }
        if (planned.record().files().containsKey(HostFiles.KUBELET_UNIT)) {
            for (String unit : KUBELET_UNITS) {
                if (!isUnitKept(unit, planned) && systemd.knows(unit)) {
                    left.add("unit " + unit);
                }
                if (systemd.isActive(unit)) {
                    left.add("service " + unit);
                }
            }
            left.addAll(pods.left(HostInspection.hasPodNetwork(planned.record())));
            left.addAll(kernel.left());
            routes().lines().forEach(route -> left.add("route " + route));
            tables().forEach(table -> left.add("nftables table " + FrontTable.FAMILY + " " + table));
        }
        for (String unit : planned.record().enabled()) {
            if (systemd.knows(unit) && systemd.isEnabled(unit) && !isUnitKept(unit, planned)) {
                left.add("enabled service " + unit);
            }
        }
        return left;
    }

    private static boolean isUnitKept(String unit, Planned planned) {
        return planned.edited().stream().anyMatch(path -> path.endsWith("/" + unit));
    }

    private void removeRecord() {
        tree.disk().deleteTree(tree.at(StateLayout.path(StateLayout.HOST)));
    }

    /** Removes directories that we made, the deepest first; those that have something of others in them stay. */
    private void removeDirectories(HostRecord record) {
        record.directories().stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .filter(path -> tree.disk().status(tree.at(path)).isPresent())
                .filter(path -> tree.disk().list(tree.at(path)).isEmpty() && !pods.isMount(path))
                .forEach(path -> tree.disk().delete(tree.at(path)));
    }
}
