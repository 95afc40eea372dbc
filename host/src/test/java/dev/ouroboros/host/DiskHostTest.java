package dev.ouroboros.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.host.Preparation.Planned;
import dev.ouroboros.host.decide.CgroupDriver;
import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.HostPlan.Step;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.model.registry.RegistryMirror;
import dev.ouroboros.node.procedure.StraightDriver;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.node.testing.InterruptedDriver;
import dev.ouroboros.render.manifest.CniSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Prepares and resets the disk of another machine. */
final class DiskHostTest extends HostOnADisk {
    private static final String NODE_UNIT = HostFiles.KUBELET_UNIT;

    @Test
    void aPlanChangesNothing() throws IOException {
        List<String> before = everything();

        Planned planned = plan();

        assertThat(planned.plan().paths(Step.WRITE)).contains(NODE_UNIT, HostFiles.ETCD_MANIFEST);
        assertThat(planned.plan().paths(Step.WRITE)).contains(CniSettings.TEMPLATE);
        assertThat(planned.settings().clusterDns().getHostAddress()).isEqualTo("10.3.0.10");
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void whatWasPreparedIsTakenAwayToTheLastDirectory() throws IOException {
        List<String> before = everything();

        prepare();
        assertThat(everything()).contains("etc/systemd/system/multi-user.target.wants/kubelet.service");
        List<String> left = reset(false);

        assertThat(left).isEmpty();
        assertThat(everything()).isEqualTo(before);
    }

    /** Whatever was done, what is ours was written down before: nothing is taken for somebody else's, and all of it goes again. */
    @Test
    void killedBeforeAndBehindEveryStepItGoesOn() throws Exception {
        List<String> before = everything();
        prepare();
        List<String> whole = everything();
        assertThat(reset(false)).isEmpty();
        int places = KilledAnywhere.check(() -> new KilledAnywhere.World() {
            @Override
            public void run(KilledAnywhere.Place end) {
                prepare(request(), new InterruptedDriver(new StraightDriver(InstantSource.system()), end));
            }

            @Override
            public void judge(int killed) throws IOException {
                assertThat(everything()).as("killed at " + killed).isEqualTo(whole);
                assertThat(plan().plan().changes()).as("killed at " + killed).isFalse();
                assertThat(reset(false)).as("killed at " + killed).isEmpty();
                assertThat(everything()).as("killed at " + killed).isEqualTo(before);
            }
        });
        // Five steps, and what each makes ours.
        assertThat(places).isGreaterThan(12);
    }

    /** With the manifest of before it would begin an etcd of its own. */
    @Test
    void aNodeWhoseMemberOfEtcdHasLeftGetsNone() throws IOException {
        prepare();
        Files.delete(root().resolve(HostFiles.ETCD_MANIFEST.substring(1)));
        assertThat(plan().plan().paths(Step.WRITE)).containsExactly(HostFiles.ETCD_MANIFEST);
        Path mark = root().resolve(StateLayout.path(StateLayout.ETCD_LEFT).substring(1));
        Files.createDirectories(mark.getParent());
        Files.createFile(mark);
        assertThat(plan().plan().paths(Step.WRITE)).isEmpty();
    }

    @Test
    void aSecondRunWritesNothing() {
        prepare();

        assertThat(plan().plan().changes()).isFalse();
    }

    private static HostRequest named(HostRequest request, String name) {
        return new HostRequest(
                request.source(),
                Optional.of(name),
                request.nodeAddress(),
                request.podNetwork(),
                request.cgroupDriver(),
                request.registryAccess(),
                request.installAllowed());
    }

    /** The host name may have been changed since, and the machine have got another address. */
    @Test
    void whatTheNodeIsStaysUntilSomethingElseIsSaid() throws IOException {
        Files.createDirectories(root().resolve("proc/sys/kernel"));
        Files.writeString(root().resolve("proc/sys/kernel/hostname"), "other\n");
        prepare(request(
                Optional.of("one"),
                Optional.of("10.0.0.6"),
                Optional.of(CgroupDriver.CGROUPFS),
                RegistryAccess.direct()));

        Planned again = plan(nothingSaid());
        assertThat(again.plan().changes()).isFalse();
        assertThat(again.settings().nodeName()).isEqualTo("one");
        assertThat(again.settings().cgroupDriver()).isEqualTo(CgroupDriver.CGROUPFS);
        assertThat(plan(request()).settings().nodeAddress().getHostAddress()).isEqualTo("10.0.0.5");
    }

    /** Its files tell it. */
    @Test
    void whatTheNodeIsStaysWhereAnEarlierOuroDidNotWriteItDown() {
        prepare(request());
        HostRecord now = tree().record();
        tree().save(new HostRecord(
                now.files(),
                now.directories(),
                now.enabled(),
                now.restarts(),
                now.sysctls(),
                now.packages(),
                Optional.empty(),
                false));

        assertThat(plan(nothingSaid()).plan().changes()).isFalse();
    }

    @Test
    void aNodeThatHasJoinedKeepsItsName() throws IOException {
        prepare();
        assertThat(plan(named(request(), "two")).settings().nodeName()).isEqualTo("two");
        Files.createDirectories(root().resolve("var/lib/kubelet"));
        Files.writeString(root().resolve("var/lib/kubelet/kubeconfig"), "of the kubelet");

        Refusal.of(() -> plan(named(request(), "two")), ErrorCode.CHANGE_REFUSED)
                .where("--node-name")
                .whatStartsWith("this machine is Node one")
                .next(
                        "leave --node-name out; or give the machine back first, with its data: ouro host reset --delete-data");
        assertThat(plan().plan().changes()).isFalse();
    }

    @Test
    void whatWasSaidOfRegistriesStaysUntilSomethingElseIsSaidOrItIsReset() throws IOException {
        List<String> before = everything();
        RegistryAccess access = new RegistryAccess(
                List.of(RegistryMirror.parse("https://mirror.example:5000").orElseThrow()),
                Optional.of("certificate"),
                ProxyEnvironment.of(Map.of("HTTPS_PROXY", "http://proxy.example:3128", "NO_PROXY", "corp.example")));
        prepare(request(access));

        assertThat(root().resolve("etc/containerd/certs.d/docker.io/hosts.toml"))
                .content()
                .contains("[host.\"https://mirror.example:5000\"]");
        assertThat(root().resolve(HostFiles.CONTAINERD_PROXY.substring(1)))
                .content()
                .contains("Environment=HTTPS_PROXY=http://proxy.example:3128\n")
                .contains(
                        "Environment=NO_PROXY=corp.example,localhost,127.0.0.1,::1,10.2.0.0/16,10.3.0.0/24,10.0.0.5,.svc,.cluster.local\n");
        assertThat(plan().plan().changes()).as("nothing is said").isFalse();

        RegistryAccess other = new RegistryAccess(
                List.of(RegistryMirror.parse("quay.io=https://mirror.example").orElseThrow()),
                Optional.empty(),
                ProxyEnvironment.none());
        assertThat(plan(request(other)).plan().paths(Step.REMOVE))
                .containsExactlyInAnyOrder(
                        RegistryAccess.AUTHORITY, RegistryAccess.DIRECTORY + "/docker.io/hosts.toml");

        assertThat(reset(false)).isEmpty();
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void secretsAreTheirOwnersAlone() throws IOException {
        prepare();

        for (String secret : List.of("etc/kubernetes/etcd/server.key", "etc/kubernetes/kubeconfig-kubelet")) {
            assertThat(Files.getPosixFilePermissions(root().resolve(secret)))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
        for (String directory : List.of("etc/kubernetes/etcd", "etc/kubernetes/manifests")) {
            assertThat(Files.getPosixFilePermissions(root().resolve(directory)))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void aFileOfSomebodyElseIsNeitherOverwrittenNorRemovedAndAllOfThemAreNamed() throws IOException {
        Files.writeString(root().resolve("etc/crictl.yaml"), "somebody's\n");
        Files.createDirectories(root().resolve("etc/cni/net.d"));
        Files.writeString(root().resolve("etc/cni/net.d/05-other.conflist"), "{}");
        Files.createDirectories(root().resolve("usr/lib/systemd/system/kubelet.service.d"));
        Files.writeString(root().resolve("usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf"), "[Service]\n");

        assertThatThrownBy(this::plan).isInstanceOfSatisfying(ProblemException.class, found -> {
            assertThat(found.problems()).extracting(Problem::code).containsOnly(ErrorCode.FOREIGN_FILE);
            assertThat(found.describe())
                    .contains("crictl.yaml")
                    .contains("05-other.conflist")
                    .contains("10-kubeadm.conf");
        });
        assertThat(root().resolve("etc/crictl.yaml")).hasContent("somebody's");
    }

    @Test
    void anEditedFileIsKeptByBothAndNamed() throws IOException {
        prepare();
        Path edited = root().resolve("etc/ouroboros/containerd.toml");
        Files.writeString(edited, "# mine\n");

        Planned again = prepare();
        Reset.Planned reset = new Reset(
                        tree(), new LocalProcesses(), InstantSource.system(), Duration.ofMinutes(1), said::add)
                .plan(false);

        assertThat(again.plan().paths(Step.EDITED)).containsExactly(HostFiles.CONTAINERD_CONFIG);
        assertThat(reset.edited()).containsExactly(HostFiles.CONTAINERD_CONFIG);
        assertThat(reset(false)).isEmpty();
        assertThat(edited).hasContent("# mine");
        assertThat(everything()).noneMatch(path -> path.endsWith("kubelet.service"));
    }

    @Test
    void aRunThatWasKilledBeforeItsFilesWereWrittenGoesOn() throws IOException {
        Planned planned = plan();
        tree().save(HostRecord.empty().writing(planned.digests()));
        Path file = root().resolve("etc/crictl.yaml");
        Files.createDirectories(file.resolveSibling("."));
        tree().write(planned.files().stream()
                .filter(each -> each.path().equals(HostFiles.CRICTL))
                .findFirst()
                .orElseThrow());

        Planned again = plan();

        assertThat(again.plan().paths(Step.FOREIGN)).isEmpty();
        assertThat(again.plan().paths(Step.KEEP)).containsExactly(HostFiles.CRICTL);
        assertThat(reset(false)).isEmpty();
        assertThat(file).doesNotExist();
    }

    @Test
    void everythingThatIsMissingIsSaidAtOnce() throws IOException {
        Files.delete(assets().resolve(AssetLayout.ETCD_SERVER_KEY));
        Files.delete(assets().resolve(AssetLayout.CA_CERTIFICATE));

        assertThatThrownBy(() -> plan(nothingSaid()))
                .hasMessageContaining("server.key")
                .hasMessageContaining("ca.crt")
                .hasMessageContaining("say it with --node-name NAME")
                .hasMessageContaining("say it with --node-address IP");
    }

    @Test
    void anImageOrAFlagThatIsNotThereIsNamed() throws IOException {
        Software bare = new Software("1.20.2", Map.of("kubelet", scratch.resolve("kubelet")), List.of());
        assertThatThrownBy(() -> new Preparation(tree(), packages(), new LocalProcesses()).plan(request(), bare))
                .hasMessageContaining("images: there is none of pause")
                .hasMessageContaining("use another source of binaries, or another bundle");
        Files.writeString(
                assets().resolve(AssetLayout.API_SERVER),
                workload("DaemonSet", "kube-apiserver", "--secure-port=6443"));
        assertThatThrownBy(this::plan)
                .hasMessageContaining("has no --service-cluster-ip-range")
                .hasMessageContaining("render the directory again");
    }

    /** Seen with a bundle of 1.20.2 for a directory of 1.36.2: start waited for images that nobody has. */
    @Test
    void imagesOfAnotherVersionThanTheManifestsAreRefusedBeforeAnythingIsChanged() throws IOException {
        Files.writeString(assets().resolve("manifests/kube-proxy.yaml"), """
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: kube-proxy, namespace: kube-system}
                spec:
                  template:
                    spec:
                      containers:
                      - {name: kube-proxy, image: "localhost/ouroboros/kube-proxy:1.36.2"}
                      - {name: pulled, image: "registry.example/other:1"}
                """);
        assertThatThrownBy(this::plan)
                .hasMessageContaining(
                        "name localhost/ouroboros/kube-proxy:1.36.2, and what is given has Kubernetes 1.20.2")
                .hasMessageContaining("--bundle FILE")
                .hasMessageNotContaining("registry.example");
    }

    @Test
    void systemdFindsNoFaultInTheUnits() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/systemd-analyze")), "systemd-analyze is not installed");
        prepare();
        Path shell = root().resolve("bin/bash");
        Files.createDirectories(shell.getParent());
        Files.writeString(shell, "#!/bin/sh\n");
        assertThat(shell.toFile().setExecutable(true)).isTrue();

        Result verified = new LocalProcesses()
                .run(Command.of(
                        "systemd-analyze",
                        "verify",
                        "--man=no",
                        "--recursive-errors=no",
                        "--root=" + root(),
                        "kubelet.service",
                        "ouroboros-kubelet-guard.service",
                        "ouroboros-kubelet-guard.path",
                        "containerd.service"));

        assertThat(complaints(verified)).isEmpty();
        assertThat(verified.exitCode()).as(verified.error()).isZero();
    }

    /** The disk has no other units, and no program but a shell. */
    private static List<String> complaints(Result verified) {
        return verified.error()
                .lines()
                .filter(line -> line.contains("kubelet") || line.contains("10-ouroboros.conf"))
                .filter(line -> !line.contains("not found") && !line.contains("is not executable"))
                .toList();
    }

    @Test
    void containerdTakesItsConfiguration() {
        assumeTrue(Files.exists(Path.of("/usr/bin/containerd")), "containerd is not installed");
        prepare();

        Result dump = new LocalProcesses()
                .run(Command.of(
                        "/usr/bin/containerd", "--config", root() + HostFiles.CONTAINERD_CONFIG, "config", "dump"));

        assertThat(dump.exitCode()).as(dump.error()).isZero();
        assertThat(dump.output())
                .contains("sandbox_image = \"localhost/ouroboros/pause:1\"")
                .contains("SystemdCgroup = true")
                .contains("conf_dir = \"/etc/cni/net.d\"");
    }
}
