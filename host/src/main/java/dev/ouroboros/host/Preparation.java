package dev.ouroboros.host;

import dev.ouroboros.host.decide.HostFile;
import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.HostPlan;
import dev.ouroboros.host.decide.HostPlan.Step;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.host.decide.HostSettings;
import dev.ouroboros.images.containerd.ContainerdVersion;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.kubelet.NodeName;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.manifest.CniSettings;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Finds out what is to be done to a host, and changes nothing. */
public final class Preparation {
    /** Name of the package that has containerd. */
    static final String CONTAINERD = "containerd";

    private final HostTree tree;
    private final DebianPackages packages;
    private final ContainerdVersion containerd;

    public Preparation(HostTree tree, DebianPackages packages, Processes processes) {
        this.tree = tree;
        this.packages = packages;
        this.containerd = new ContainerdVersion(processes);
    }

    /**
     * What would be done.
     *
     * @param files that the host is to have, in the order in which they are written
     * @param digests of their contents
     * @param missingPackages that are to be installed first
     * @param notes what a person should know
     */
    public record Planned(
            HostSettings settings,
            List<HostFile> files,
            Map<String, String> digests,
            HostPlan plan,
            List<String> missingPackages,
            List<String> notes) {}

    /** The version of Kubernetes that an asset directory is for; empty where its manifests do not tell. */
    public static Optional<KubernetesVersion> versionOf(Disk disk, Path assets) {
        return new HostAssets(disk, assets, new ArrayList<>()).kubernetesVersion();
    }

    /**
     * Plans what makes the host a node.
     *
     * @throws ProblemException with everything that stands against it
     */
    public Planned plan(HostRequest request, Software software) {
        List<Problem> problems = new ArrayList<>();
        HostRecord record = tree.record();
        HostInspection host = new HostInspection(tree, record);
        problems.addAll(host.problems(request.source().role(), request.podNetwork()));
        List<Problem> inputs = new ArrayList<>();
        Optional<HostSettings> settings = switch (request.source()) {
            case HostSource.Assets(Path directory) -> {
                HostAssets assets = new HostAssets(tree.disk(), directory, inputs);
                if (request.podNetwork()) {
                    requirePodAddresses(assets, directory, inputs);
                }
                if (record.files().isEmpty()) {
                    // A host that is a node already may belong to another cluster than the one that the directory is
                    // for now.
                    host.otherCluster(assets.authorities()).ifPresent(problems::add);
                }
                absentImages("the manifests of " + directory, software, assets.localImages())
                        .ifPresent(inputs::add);
                yield settings(request, software, host, assets, record, inputs);
            }
            case JoinedCluster joined -> {
                if (record.files().containsKey(HostFiles.ETCD_MANIFEST)) {
                    problems.add(hasACluster());
                }
                absentImages("the nodes of " + joined.where(), software, joined.images())
                        .ifPresent(inputs::add);
                yield settings(request, software, host, joined, record, inputs);
            }
        };
        problems.addAll(inputs);
        boolean hasEtcdLeft = tree.disk()
                .status(tree.at(StateLayout.path(StateLayout.ETCD_LEFT)))
                .isPresent();
        // With its former manifest etcd would be started again, without data.
        List<HostFile> files = settings.map(HostFiles::of).orElse(List.of()).stream()
                .filter(file -> !hasEtcdLeft || !HostFiles.isOfEtcd(file.path()))
                .toList();
        Map<String, String> digests =
                files.stream().collect(Collectors.toMap(HostFile::path, HostTree::digest, (a, b) -> a, TreeMap::new));
        Set<String> paths = new LinkedHashSet<>(digests.keySet());
        paths.addAll(record.files().keySet());
        HostPlan plan = HostPlan.of(files, digests, record, tree.digests(paths));
        // A kubelet that runs, or a drop-in that somebody wrote, still names this file.
        plan = plan.keeping(
                HostFiles.FORMER_KUBELET_CONFIG, "the kubelet's configuration, from before it had generations");
        if (request.podNetwork()) {
            // containerd would forget the living network at once, and make another one only when the kubelet was
            // started again and had seen its Node.
            plan = plan.keeping(CniSettings.FORMER, "pods' network of this node, from before there was a template");
        }
        problems.addAll(editedKubelet(plan, record));
        plan.paths(Step.FOREIGN).forEach(path -> problems.add(inTheWay(path)));
        List<String> needed = host.packages(HostSettings.PACKAGES);
        List<String> missing = tree.isThisMachine() && problems.isEmpty() ? packages.missing(needed) : List.of();
        if (!missing.isEmpty() && !request.installAllowed()) {
            problems.add(new Problem(
                    ErrorCode.MISSING_TOOL,
                    "Debian packages",
                    "missing: " + String.join(" ", missing),
                    "",
                    "run: apt-get install --no-install-recommends " + String.join(" ", missing)));
        }
        if (tree.isThisMachine() && problems.isEmpty()) {
            settings.flatMap(node -> containerd.unfitFor(node.version(), missing.contains(CONTAINERD)))
                    .ifPresent(problems::add);
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        List<String> notes = new ArrayList<>(host.notes());
        if (!tree.isThisMachine()) {
            notes.add("the disk must have these packages: " + String.join(" ", needed));
            notes.add("the images are loaded when the machine runs: ouro host prepare again, or ouro images load");
        }
        return new Planned(settings.orElseThrow(), files, digests, plan, missing, notes);
    }

    private Optional<HostSettings> settings(
            HostRequest request,
            Software software,
            HostInspection host,
            NodeCluster cluster,
            HostRecord record,
            List<Problem> problems) {
        Optional<HostRecord.Node> known = host.node();
        Optional<String> name = name(request, host, known.map(HostRecord.Node::name), problems);
        Optional<InetAddress> address = request.nodeAddress()
                .or(() -> known.map(HostRecord.Node::address))
                .or(() -> tree.isThisMachine() ? cluster.ownAddress(problems) : Optional.<InetAddress>empty());
        Optional<InetAddress> dns = cluster.clusterDns();
        Optional<KubernetesVersion> version = KubernetesVersion.parse(software.kubernetesVersion());
        require(name.isPresent(), problems, "--node-name", "the node has no name", "say it with --node-name NAME");
        require(
                address.isPresent(),
                problems,
                "--node-address",
                "the node's address is not known",
                "say it with --node-address IP");
        require(
                version.isPresent(),
                problems,
                "Kubernetes " + software.kubernetesVersion(),
                "is no version",
                "use other binaries");
        require(
                software.programs().containsKey("kubelet"),
                problems,
                "binaries",
                "there is no kubelet among them",
                "use another source, or a bundle of 'ouro images bundle'");
        if (!problems.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new HostSettings(
                request.source().role(),
                name.orElseThrow(),
                address.orElseThrow(),
                version.orElseThrow(),
                dns.orElseThrow(() -> noFlag(request, "service-cluster-ip-range")),
                cluster.clusterDomain(),
                cluster.pool(),
                request.podNetwork(),
                request.cgroupDriver()
                        .or(() -> known.map(HostRecord.Node::cgroupDriver))
                        .orElseGet(host::fittingDriver),
                host.mayLowerOomScore(),
                host.resolvConf(),
                image(software, BuiltImage.PAUSE),
                image(software, BuiltImage.ETCD),
                cluster.texts(),
                registryFiles(request.registryAccess(), cluster, record, address.orElseThrow()),
                software.programs().entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, entry -> entry.getValue().toString()))));
    }

    /** The Node's name: the one that is asked for, else the one that the host was made with, else its host name, which may have changed since. */
    private Optional<String> name(
            HostRequest request, HostInspection host, Optional<String> known, List<Problem> problems) {
        Optional<String> name = request.nodeName()
                .map(NodeName::said)
                .or(() -> known)
                .or(() -> tree.isThisMachine() ? host.nodeName() : Optional.empty());
        name.flatMap(NodeName::unfit).ifPresent(problems::add);
        if (host.hasJoined()) {
            known.filter(former -> !Optional.of(former).equals(name))
                    .map(former -> renamed(former, name.orElse("")))
                    .ifPresent(problems::add);
        }
        return name;
    }

    /** A kubelet's certificate is valid for its former name alone, and the Node of that name would stay behind. */
    private static Problem renamed(String former, String name) {
        return new Problem(
                ErrorCode.CHANGE_REFUSED,
                "--node-name",
                "this machine is Node " + former + ", and its kubelet has joined as that: it cannot become " + name,
                "the same name",
                "leave --node-name out; or give the machine back first, with its data: ouro host reset --delete-data");
    }

    private static void requirePodAddresses(HostAssets assets, Path directory, List<Problem> problems) {
        require(
                assets.givesNodesPodAddresses(),
                problems,
                directory + "/" + AssetLayout.CONTROLLER_MANAGER,
                "gives Nodes no addresses for pods (--allocate-node-cidrs, --cluster-cidr), of which their network would be made",
                "say --no-pod-network where a network add-on makes it, or render the directory without these changes");
    }

    /**
     * The files of registries and proxy. A request that names registries, or a proxy, replaces all that was configured of them before; what it does
     * not name stays.
     */
    private Map<String, String> registryFiles(
            RegistryAccess access, NodeCluster cluster, HostRecord record, InetAddress address) {
        List<String> own = new ArrayList<>(cluster.clusterBlocks());
        own.addAll(List.of(address.getHostAddress(), ".svc", "." + cluster.clusterDomain()));
        Map<String, String> files = new TreeMap<>(HostFiles.registryFiles(new RegistryAccess(
                access.mirrors(), access.authority(), access.proxy().asksDirectly(own))));
        for (String path : record.files().keySet()) {
            boolean said =
                    path.equals(HostFiles.CONTAINERD_PROXY) ? !access.proxy().isEmpty() : access.namesRegistries();
            if (HostFiles.isOfRegistries(path) && !said) {
                tree.disk().readText(tree.at(path)).ifPresent(text -> files.put(path, text));
            }
        }
        return files;
    }

    private static String image(Software software, BuiltImage component) {
        return software.image(component)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "images",
                        "there is none of " + component.imageName(),
                        "",
                        "use another source of binaries, or another bundle"));
    }

    private static void require(boolean holds, List<Problem> problems, String where, String what, String next) {
        if (!holds && problems.stream().noneMatch(problem -> problem.where().equals(where))) {
            problems.add(new Problem(ErrorCode.BAD_USAGE, where, what, "", next));
        }
    }

    private static ProblemException noFlag(HostRequest request, String flag) {
        return ProblemException.of(
                ErrorCode.INVALID_ASSET_DIRECTORY,
                request.source().where() + "/" + AssetLayout.API_SERVER,
                "has no --" + flag,
                "an asset directory of 'ouro render'",
                "render the directory again: ouro render --asset-dir "
                        + request.source().where());
    }

    /**
     * Images that pods of the node need and the software does not have. Nobody would bring them later: the kubelet would ask a registry, and {@code
     * start} would wait.
     */
    private static Optional<Problem> absentImages(String who, Software software, Set<String> wanted) {
        List<String> given =
                software.images().stream().map(ContainerImage::reference).toList();
        List<String> absent =
                wanted.stream().filter(image -> !given.contains(image)).toList();
        return absent.isEmpty()
                ? Optional.empty()
                : Optional.of(new Problem(
                        ErrorCode.NOT_FOUND,
                        "images",
                        who + " name " + String.join(", ", absent)
                                + ", and what is given has Kubernetes " + software.kubernetesVersion()
                                + " without them",
                        "the images of that version",
                        "give that version: --bundle FILE of 'ouro images bundle', --binaries DIR, or --kubernetes-version;"
                                + " or render the directory for the one that is given"));
    }

    private static Problem hasACluster() {
        return new Problem(
                ErrorCode.CHANGE_REFUSED,
                HostFiles.ETCD_MANIFEST,
                "this machine runs the etcd of a cluster, which joining another one would take away",
                "a machine that is no control-plane node",
                "run the command on another machine; or give this one back first, with its data: ouro host reset --delete-data");
    }

    /**
     * Files of a kubelet from before there were generations that somebody edited: the new kubelet would not have those changes, or its configuration
     * would be gone.
     */
    private static List<Problem> editedKubelet(HostPlan plan, HostRecord record) {
        if (!record.files().containsKey(HostFiles.FORMER_KUBELET_CONFIG)
                || record.files().containsKey(HostFiles.KUBELET_BASE + "/" + KubeletLayout.GENERATION)) {
            return List.of();
        }
        return plan.paths(Step.EDITED).stream()
                .filter(path -> path.equals(HostFiles.FORMER_KUBELET_CONFIG) || path.equals(HostFiles.KUBELET_UNIT))
                .map(
                        path -> new Problem(
                                ErrorCode.EDITED_FILE,
                                path,
                                "was edited, and the kubelet is made of other files now",
                                "the file as it was written",
                                "move it away and run this again; what was changed in it is wished with 'ouro kubelet set' then (docs/kubelet.md)"))
                .toList();
    }

    private Problem inTheWay(String path) {
        return new Problem(
                ErrorCode.FOREIGN_FILE,
                tree.at(path).toString(),
                "is there, and was not written by 'ouro host'",
                "no file, or the same content",
                "look at it, and move it away");
    }
}
