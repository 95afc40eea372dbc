package dev.ouroboros.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.host.Preparation.Planned;
import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.HostPlan;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.host.decide.NodePool;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.render.manifest.BootstrapToken;
import dev.ouroboros.render.manifest.ContainerdSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a machine that cannot be made a node, or not be taken back. Its files are in memory, and all its programs one function. */
final class UnfitHostTest {
    private static final Path ASSETS = Path.of("/root/assets");
    /** A label of a name has 63 characters at most: nobody is asked for this one. */
    private static final String NOBODY = "n".repeat(64) + ".invalid";

    private static final String ANOTHER_KUBERNETES =
            "use another Kubernetes (--binaries DIR, and a directory rendered for it), or install such a containerd";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path scratch;

    private final ModelDisk disk = new ModelDisk();

    @BeforeEach
    void anAssetDirectoryOnAMachineOfSystemdAndDebian() throws IOException {
        for (String path : HostFiles.neededAssets()) {
            has(ASSETS.resolve(path), "of: " + path + "\n");
        }
        hasApiServer("10.3.0.0/24");
        has(ASSETS.resolve(AssetLayout.CONTROLLER_MANAGER), """
                kind: Deployment
                spec:
                  template:
                    spec:
                      containers:
                      - name: kube-controller-manager
                        command: [kube-controller-manager, --allocate-node-cidrs=true, --cluster-cidr=10.2.0.0/16]
                """);
        has(Path.of("/usr/bin/dpkg"), "");
        disk.tamper(
                Path.of("/run/systemd/system"),
                new FileStatus(FileStatus.Kind.DIRECTORY, "rwxr-xr-x", ModelDisk.OWN_GROUP));
        Files.writeString(scratch.resolve("kubelet"), "#!/bin/sh\n");
    }

    private void has(Path file, String content) {
        disk.tamper(file, content, Disk.OWNER_ONLY_FILE);
    }

    private void hasApiServer(String serviceRange) {
        has(ASSETS.resolve(AssetLayout.API_SERVER), """
                kind: DaemonSet
                spec:
                  template:
                    spec:
                      containers:
                      - name: kube-apiserver
                        command: [kube-apiserver, --service-cluster-ip-range=%s]
                """.formatted(serviceRange));
    }

    private HostTree thisMachine() {
        return new HostTree(disk, Path.of("/"));
    }

    private Planned plan(Optional<InetAddress> address, Programs programs) {
        return plan(address, programs, false);
    }

    private Planned plan(Optional<InetAddress> address, Programs programs, boolean installs) {
        return plan("one", address, programs, installs);
    }

    private Planned plan(String name, Optional<InetAddress> address, Programs programs, boolean installs) {
        return plan(new HostSource.Assets(ASSETS), name, address, programs, installs);
    }

    private Planned plan(
            HostSource source, String name, Optional<InetAddress> address, Programs programs, boolean installs) {
        HostRequest request = new HostRequest(
                source, Optional.of(name), address, true, Optional.empty(), RegistryAccess.direct(), installs);
        return new Preparation(thisMachine(), new DebianPackages(programs, disk, scratch), programs)
                .plan(request, software());
    }

    private Planned plan() {
        return plan(Optional.of(InetAddress.ofLiteral("10.0.0.5")), UnfitHostTest::everyPackageIsInstalled);
    }

    private Software software() {
        return new Software(
                "1.20.2",
                Map.of("kubelet", scratch.resolve("kubelet")),
                Stream.of(BuiltImage.PAUSE, BuiltImage.ETCD)
                        .map(component -> new ContainerImage(component, "1", "key", "here", scratch, 1))
                        .toList());
    }

    private static String everyPackageIsInstalled(Command command) {
        return String.join(" installed\n", command.arguments()) + " installed\n";
    }

    @Test
    void aMachineWithoutSystemdAndDpkgHearsOfBoth() {
        disk.lose(Path.of("/run/systemd/system"));
        disk.lose(Path.of("/usr/bin/dpkg"));

        assertThatThrownBy(this::plan)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .extracting(Problem::code)
                                .containsExactly(ErrorCode.MISSING_TOOL, ErrorCode.MISSING_TOOL))
                .hasMessageContaining("this machine: is not run by systemd")
                .hasMessageContaining("use 'ouro up' for a sandbox, or --root DIR")
                .hasMessageContaining("this machine: has no dpkg")
                .hasMessageContaining("install containerd, runc, CNI plugins");
    }

    private JoinedCluster joined() {
        return new JoinedCluster(
                URI.create("https://10.0.0.5:6443"),
                "of an authority",
                new BootstrapToken("abcdef", "0123456789abcdef"),
                InetAddress.ofLiteral("10.3.0.10"),
                "cluster.local",
                new TreeSet<>(),
                true,
                List.of(),
                NodePool.NONE);
    }

    /** As a control plane of kubeadm does whose packages were removed; what keeper and agent left says that it is theirs. */
    @Test
    void podsThatTheKubeletWouldStartAreInTheWay() {
        Path manifests = Path.of(HostFiles.MANIFESTS);
        has(manifests.resolve("ouroboros-keeper.json"), """
                {"metadata": {"annotations": {"ouroboros.dev/owner": "keeper"}}}""");
        has(manifests.resolve(".kubelet-keep"), "");
        for (HostSource source : List.of(new HostSource.Assets(ASSETS), joined())) {
            disk.lose(manifests.resolve("kube-apiserver.yaml"));
            assertThat(planOf(source).missingPackages()).isEmpty();
            has(manifests.resolve("kube-apiserver.yaml"), "kind: Pod\n");

            Refusal.of(() -> planOf(source), ErrorCode.FOREIGN_FILE)
                    .where("/etc/kubernetes/manifests/kube-apiserver.yaml")
                    .whatStartsWith("is a pod of somebody's, which the kubelet would start")
                    .next("run 'kubeadm reset' if it is of a former kubeadm, or move it away");
        }
    }

    /** Where one is wanted it is compared with that. */
    @Test
    void aFormerEtcdIsInTheWayToo() {
        has(Path.of(HostFiles.ETCD_MANIFEST), "kind: Pod\n");

        Refusal.of(() -> planOf(joined()), ErrorCode.FOREIGN_FILE)
                .where(HostFiles.ETCD_MANIFEST)
                .whatStartsWith("is a pod of somebody's")
                .nextContains("kubeadm reset");
    }

    @Test
    void missingPackagesAreNamedWithTheCommandThatInstallsThem() {
        assertThat(plan().missingPackages()).isEmpty();

        Refusal.of(
                        () -> plan(
                                Optional.of(InetAddress.ofLiteral("10.0.0.5")),
                                command -> everyPackageIsInstalled(command)
                                        .replaceAll("(?m)^(containerd|nftables) .*$", "")),
                        ErrorCode.MISSING_TOOL)
                .where("Debian packages")
                .whatStartsWith("missing: containerd nftables")
                .next("run: apt-get install --no-install-recommends containerd nftables");
    }

    @Test
    void aContainerdThatTheKubeletCannotTalkToIsNamedBeforeAnythingIsDone() {
        Refusal.of(
                        () -> plan(Optional.of(InetAddress.ofLiteral("10.0.0.5")), UnfitHostTest::newContainerd),
                        ErrorCode.UNSUPPORTED_VERSION)
                .where("containerd 2.1.9")
                .whatStartsWith("has no version of the Container Runtime Interface that a kubelet 1.20.2 speaks")
                .next(ANOTHER_KUBERNETES);
    }

    private static String newContainerd(Command command) {
        return command.arguments().getFirst().equals("containerd")
                ? "containerd github.com/containerd/containerd/v2 2.1.9~ds1 2.1.9~ds1-5\n"
                : everyPackageIsInstalled(command);
    }

    /** Debian's next release has it, and apt knows before it is installed. */
    @Test
    void aContainerdThatWouldBeInstalledIsJudgedToo() {
        Programs apt = command -> switch (command.arguments().getFirst()) {
            case "apt-cache" -> "containerd:\n  Installed: (none)\n  Candidate: 2.1.9+ds1-5\n";
            case "containerd" -> throw new AssertionError("it is not installed");
            default -> everyPackageIsInstalled(command).replaceAll("(?m)^containerd .*$", "");
        };
        Refusal.of(() -> plan(Optional.of(InetAddress.ofLiteral("10.0.0.5")), apt, true), ErrorCode.UNSUPPORTED_VERSION)
                .where("containerd 2.1.9")
                .whatStartsWith("has no version of the Container Runtime Interface")
                .next(ANOTHER_KUBERNETES);
    }

    private Planned planOf(String name) {
        return planOf(new HostSource.Assets(ASSETS), name);
    }

    private Planned planOf(HostSource source) {
        return planOf(source, "one");
    }

    private Planned planOf(HostSource source, String name) {
        return plan(
                source,
                name,
                Optional.of(InetAddress.ofLiteral("10.0.0.5")),
                UnfitHostTest::everyPackageIsInstalled,
                false);
    }

    /** A kubelet makes it lower case, and another name would hide that the Node is there. */
    @Test
    void aNameIsTakenAsAKubeletTakesIt() {
        assertThat(planOf(" Worker-1.Example ").settings().nodeName()).isEqualTo("worker-1.example");
    }

    @ParameterizedTest
    @ValueSource(strings = {"my_host", "-a", "a-", "a/b", "a..b", "one two", " "})
    void aNameThatNoNodeCanHaveIsRefused(String name) {
        Refusal.of(() -> planOf(name), ErrorCode.BAD_USAGE)
                .where("--node-name")
                .whatStartsWith("'" + name.strip() + "' is no name of a Node")
                .next("say another with --node-name");
    }

    @Test
    void aMachineWithoutAWayToTheApiServerAsksForItsAddress() {
        has(ASSETS.resolve(AssetLayout.KUBELET_KUBECONFIG), """
                clusters:
                - cluster: {server: "https://%s:6443"}
                """.formatted(NOBODY));

        Refusal.of(() -> plan(Optional.empty(), UnfitHostTest::everyPackageIsInstalled), ErrorCode.BAD_USAGE)
                .where("--node-address")
                .whatStartsWith("this machine has no way to the API server https://" + NOBODY + ":6443")
                .next("say it with --node-address");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://the server:6443", "https://my_host:6443", "kubernetes:6443", "https://one:99999"})
    void whatSomebodyMisspeltInTheAssetsIsNamedWithItsFile(String server) {
        has(ASSETS.resolve(AssetLayout.KUBELET_KUBECONFIG), """
                clusters:
                - cluster: {server: "%s"}
                """.formatted(server));
        hasApiServer("10.3.0/24");

        assertThatThrownBy(() -> plan(Optional.empty(), UnfitHostTest::everyPackageIsInstalled))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(
                        ASSETS.resolve(AssetLayout.KUBELET_KUBECONFIG) + ": server " + server + " cannot be read")
                .hasMessageContaining(ASSETS.resolve(AssetLayout.API_SERVER)
                        + ": --service-cluster-ip-range 10.3.0/24 cannot be read")
                .hasMessageContaining("mend it there, or render the directory again");
    }

    @Test
    void aProgramThatWentAwayMeanwhileIsNamed() throws IOException {
        Files.delete(scratch.resolve("kubelet"));

        Refusal.of(this::plan, ErrorCode.DISK)
                .where(scratch.resolve("kubelet"))
                .whatStartsWith("cannot be read: no such file")
                .next("put it back, and run the same command again");
    }

    private Planned nothingToWrite(List<String> packages) {
        return new Planned(
                plan().settings(),
                List.of(),
                Map.of(),
                HostPlan.of(List.of(), Map.of(), HostRecord.empty(), Map.of()),
                packages,
                List.of());
    }

    private HostChanges changes(Programs programs) {
        return new HostChanges(
                thisMachine(),
                programs,
                new DebianPackages(programs, disk, scratch),
                InstantSource.system(),
                Duration.ofSeconds(1),
                _ -> {});
    }

    /** Its etcd does not answer, as there is none: five minutes passed until prepare said that. */
    @Test
    void etcdIsNotWaitedForWhereTheMemberHasLeft() {
        List<String> calls = new ArrayList<>();

        changes(command -> {
                    calls.add(command.describe());
                    return "";
                })
                .apply(nothingToWrite(List.of()), new Software("1.20.2", Map.of(), List.of()));

        assertThat(calls).last().asString().contains(HostChanges.GUARD_PATH);
    }

    /** Else containerd, which one of them starts at every boot, would be somebody else's to a reset. */
    @Test
    void packagesAreWrittenDownBeforeAptIsStarted() {
        Programs untilApt = _ -> "";

        assertThatThrownBy(() -> changes(untilApt).apply(nothingToWrite(List.of("containerd", "runc")), software()))
                .hasMessageContaining("not streamed: ")
                .hasMessageContaining("apt-get");

        assertThat(thisMachine().record().packages()).containsExactly("containerd", "runc");
    }

    @Test
    void aKernelThatHasNeitherAModuleNorWhatIsInItIsRefused() {
        Planned nothingToWrite = nothingToWrite(List.of());
        Programs noModules = command -> {
            if (command.arguments().getFirst().equals("modprobe")) {
                throw new Failure("modprobe: FATAL: Module not found");
            }
            return "";
        };
        HostChanges changes = changes(noModules);
        has(Path.of("/proc/filesystems"), "nodev\tproc\n\text4\n");

        Refusal.of(() -> changes.apply(nothingToWrite, software()), ErrorCode.MISSING_TOOL)
                .where("the kernel")
                .whatStartsWith("has no overlay")
                .next("use a kernel as Debian's");

        has(Path.of("/proc/filesystems"), "nodev\toverlay\n\text4\n");
        Refusal.of(() -> changes.apply(nothingToWrite, software()), ErrorCode.MISSING_TOOL)
                .where("the kernel")
                .whatStartsWith("has no br_netfilter")
                .next("use a kernel as Debian's");
    }

    @Test
    void containersThatDoNotEndAreNamed() {
        Programs immortal = command -> command.arguments().contains("ls") ? "4711abc\n0815def\n" : "";

        Refusal.of(
                        () -> new PodRemains(thisMachine(), immortal, new Leaping(), Duration.ofMinutes(1))
                                .endContainers(),
                        ErrorCode.PROCESS_FAILED)
                .where("containerd")
                .whatStartsWith("does not end the kubelet's containers: 4711abc 0815def")
                .next(
                        "run this again, with a longer --timeout if this machine is slow: it goes on; 'ctr --namespace k8s.io tasks"
                                + " ls' shows them");
    }

    @Test
    void containersThatSomebodyElseRemovesAreNoFailure() {
        List<String> calls = new ArrayList<>();
        Programs raced = command -> {
            calls.add(command.describe());
            if (command.arguments().contains("delete")) {
                throw new Failure("ctr: task 4711abc not found");
            }
            return calls.size() == 1 ? "4711abc\n" : "";
        };

        new PodRemains(thisMachine(), raced, InstantSource.system(), Duration.ofMinutes(1)).endContainers();

        assertThat(calls).first().asString().contains(ContainerdSettings.SOCKET).endsWith("tasks ls --quiet");
        assertThat(calls).last().asString().endsWith("containers ls --quiet");
    }

    @Test
    void aContainerThatContainerdForgotIsLeftToItsShim() {
        List<String> calls = new ArrayList<>();
        Programs forgetful = command -> {
            calls.add(command.describe());
            return command.arguments().contains("tasks") ? "4711abc\n" : "";
        };

        new PodRemains(thisMachine(), forgetful, new Leaping(), Duration.ofMinutes(1)).endContainers();

        assertThat(calls).noneMatch(call -> call.contains("delete"));
    }

    /** A program that ends with an exit code. */
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(String said) {
            super(said);
        }
    }

    /** What programs print. */
    private interface Programs extends Processes {
        String print(Command command);

        @Override
        default Result run(Command command) {
            try {
                return new Result(command.describe(), 0, print(command), "");
            } catch (Failure e) {
                return new Result(command.describe(), 1, "", String.valueOf(e.getMessage()));
            }
        }

        @Override
        default Result stream(Command command, Consumer<String> line) {
            throw new AssertionError("not streamed: " + command.describe());
        }

        @Override
        default int attach(Command command) {
            throw new AssertionError("not attached: " + command.describe());
        }
    }

    /** A minute passes from look to look. */
    private static final class Leaping implements InstantSource {
        private Instant now = Instant.parse("2026-11-21T00:00:00Z");

        @Override
        public Instant instant() {
            now = now.plus(Duration.ofMinutes(1));
            return now;
        }
    }
}
