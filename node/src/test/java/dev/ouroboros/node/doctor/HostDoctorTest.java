package dev.ouroboros.node.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.ailment.Finding.Severity;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.process.LocalProcesses;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostDoctorTest {
    @TempDir
    private Path directory;

    @Test
    void looksAtThisMachineAndLeavesNothingBehind() throws Exception {
        List<Finding> findings =
                new HostDoctor(new LocalDisk(), new LocalProcesses(), directory.resolve("etcd")).examine();
        assertThat(findings)
                .extracting(Finding::check)
                .contains(
                        "nftables",
                        "firewall",
                        "memory",
                        "swap",
                        "cgroups",
                        "pod network state",
                        "clock",
                        "disk latency");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void namesTheProgramThatHoldsAPort() throws Exception {
        String table = """
                  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
                   0: 00000000:192B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1
                   1: 0100007F:1F90 0100007F:2222 01 00000000:00000000 00:00000000 00000000     0        0 4712 1
                """;
        Path process = directory.resolve("proc/12");
        Files.createDirectories(process.resolve("fd"));
        Files.createDirectories(directory.resolve("proc/net"));
        Files.writeString(directory.resolve("proc/net/tcp"), table);
        Files.writeString(process.resolve("cgroup"), "0::/\n");
        Files.writeString(process.resolve("cmdline"), "/usr/sbin/nginx\0-g\0daemon off;\0");
        Files.createSymbolicLink(process.resolve("fd/3"), Path.of("socket:[4711]"));
        PortCheck check = new PortCheck(new Listeners(directory.resolve("proc")));
        assertThat(check.run()).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
            assertThat(finding.check()).isEqualTo("port 6443");
            assertThat(finding.evidence()).contains("nginx (PID 12)");
        });
        Files.writeString(process.resolve("cmdline"), "kube-apiserver\0--v=2\0");
        assertThat(check.run()).singleElement().matches(finding -> finding.severity() == Severity.OK);
    }

    @Test
    void warnsOfPodNetworksThatAreRememberedAfterABoot() throws Exception {
        PodNetworkStateCheck check = new PodNetworkStateCheck(new LocalDisk(), directory);
        Files.createDirectories(directory.resolve("proc"));
        Path mounts = directory.resolve("proc/mounts");
        Files.writeString(mounts, "/dev/sda1 / ext4 rw 0 0\ntmpfs /var/lib/cninja tmpfs rw 0 0\n");
        assertThat(check.run()).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.remedy()).contains("/etc/fstab");
        });

        Path rules = Files.createDirectories(directory.resolve("etc/tmpfiles.d"));
        Files.writeString(rules.resolve("cni.conf"), "# D /var/lib/cni\nd /var/lib/cni 0755\nR! /var/lib/cni/\n");
        assertThat(check.run()).singleElement().matches(Finding::isWrong, "nobody reads that rule");
        Files.createDirectories(directory.resolve("run/systemd/system"));
        assertThat(check.run()).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.OK);
            assertThat(finding.evidence()).contains("R! /var/lib/cni/");
        });

        Files.writeString(rules.resolve("cni.conf"), "");
        Path hidden = Files.createDirectories(directory.resolve("usr/lib/tmpfiles.d"));
        Files.writeString(hidden.resolve("cni.conf"), "D /var/lib/cni/* - - -\n");
        assertThat(check.run())
                .singleElement()
                .satisfies(finding -> assertThat(finding.remedy()).contains("/etc/tmpfiles.d/cni.conf"));
        Files.move(hidden.resolve("cni.conf"), hidden.resolve("other.conf"));
        assertThat(check.run()).singleElement().matches(finding -> !finding.isWrong());
    }

    @Test
    void findsPodNetworksThatAreRememberedInMemory() throws Exception {
        PodNetworkStateCheck check = new PodNetworkStateCheck(new LocalDisk(), directory);
        Files.createDirectories(directory.resolve("proc"));
        Path mounts = directory.resolve("proc/mounts");
        for (String place : List.of("/", "/var", "/var/lib/cni")) {
            Files.writeString(mounts, "/dev/sda1 / ext4 rw 0 0\ntmpfs " + place + " tmpfs rw 0 0\n");
            assertThat(check.run()).singleElement().matches(finding -> !finding.isWrong());
        }
        Files.writeString(mounts, "tmpfs /var tmpfs rw 0 0\n/dev/sdb1 /var/lib/cni ext4 rw 0 0\n");
        assertThat(check.run()).singleElement().matches(Finding::isWrong);
    }

    @Test
    void warnsOfRulesThatHideTheFrontPort() throws Exception {
        List<Finding> findings = FirewallCheck.judge(JsonText.read("""
                        {"nftables":[{"metainfo":{}},
                          {"chain":{"family":"inet","table":"filter","name":"input","hook":"input","policy":"drop"}},
                          {"rule":{"family":"ip","table":"raw","chain":"PREROUTING","expr":[{"notrack":null}]}},
                          {"rule":{"family":"inet","table":"ouroboros","chain":"x","expr":[{"notrack":null}]}}]}
                        """));
        assertThat(findings).hasSize(2).allMatch(finding -> finding.severity() == Severity.WARNING);
        assertThat(findings.getFirst().evidence()).contains("inet filter input");
        assertThat(FirewallCheck.judge(JsonText.read("{\"nftables\":[]}")))
                .singleElement()
                .matches(finding -> finding.severity() == Severity.OK);
    }

    @Test
    void readsFromTheKeepersCommandLineWhereClientsCome() {
        FrontSpec spec = PathCheck.spec("java -cp /app dev.ouroboros.keeper.KeeperMain --node-name=a"
                        + " --node-address=192.0.2.1,2001:db8::1 --service-cluster-ip=10.3.0.1 --principal-port=7443")
                .orElseThrow();
        assertThat(spec.nodeAddresses())
                .containsExactly(InetAddress.ofLiteral("192.0.2.1"), InetAddress.ofLiteral("2001:db8::1"));
        assertThat(spec.principalPort()).isEqualTo(7443);
        assertThat(spec.services()).containsExactly(ServiceAddress.ofKubernetes(InetAddress.ofLiteral("10.3.0.1")));
        assertThat(PathCheck.spec("nginx -g daemon off")).isEmpty();
    }

    @Test
    void hasNoPathToProveWhereNobodyServes() throws Exception {
        Files.createDirectories(directory.resolve("net"));
        Files.writeString(directory.resolve("net/tcp"), "sl local_address\n");
        assertThat(new PathCheck(new LocalProcesses(), new Listeners(directory)).run())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.OK);
                    assertThat(finding.evidence()).contains("no API server is here yet");
                });
    }

    @Test
    void saysOfEachPathWhatIsWrongWithIt() {
        FrontSpec spec = FrontSpec.of(
                List.of(InetAddress.ofLiteral("192.0.2.1")),
                List.of(ServiceAddress.ofKubernetes(InetAddress.ofLiteral("10.3.0.1"))));
        assertThat(PathCheck.judge(spec, List.of()))
                .singleElement()
                .satisfies(finding -> assertThat(finding.evidence()).contains("192.0.2.1:6443, 10.3.0.1:443"));
        Problem dropped = new Problem(ErrorCode.FRONT_BROKEN, "192.0.2.1:26443", "timed out", "", "open the port");
        assertThat(PathCheck.judge(spec, List.of(dropped))).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
            assertThat(finding.evidence()).isEqualTo("192.0.2.1:26443: timed out");
            assertThat(finding.remedy()).isEqualTo("open the port");
        });
    }

    @Test
    void wantsMemoryForTwoServers() {
        assertThat(MemoryCheck.available("MemTotal: 1 kB\nMemAvailable:   2097152 kB\n"))
                .hasValue(2048);
        assertThat(MemoryCheck.available("")).isEmpty();
        assertThat(MemoryCheck.judge(511).severity()).isEqualTo(Severity.PROBLEM);
        assertThat(MemoryCheck.judge(1023).severity()).isEqualTo(Severity.WARNING);
        assertThat(MemoryCheck.judge(1024).severity()).isEqualTo(Severity.OK);
    }

    @Test
    void knowsBothKindsOfControlGroups() {
        String first = """
                cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0
                cgroup /a cgroup rw,memory 0 0
                cgroup /b cgroup rw,pids 0 0
                cgroup /c cgroup rw,cpuset 0 0
                """;
        assertThat(CgroupCheck.judge(first, "").severity()).isEqualTo(Severity.WARNING);
        assertThat(CgroupCheck.judge("", "cpuset cpu io memory hugetlb pids\n").severity())
                .isEqualTo(Severity.OK);
        assertThat(CgroupCheck.judge("", "cpuset cpu io pids\n").evidence()).contains("memory");
        assertThat(CgroupCheck.judge("", "").severity()).isEqualTo(Severity.PROBLEM);
    }

    @Test
    void namesSwapAreas() {
        assertThat(SwapCheck.judge("Filename Type Size Used Priority\n").severity())
                .isEqualTo(Severity.OK);
        assertThat(SwapCheck.judge("Filename Type\n/dev/sda2 partition 1 0 -2\n")
                        .evidence())
                .contains("/dev/sda2");
    }

    @Test
    void judgesTheDiskByItsSlowestHundredth() {
        List<Duration> fast = Collections.nCopies(100, Duration.ofMillis(1));
        assertThat(DiskLatencyCheck.judge(directory, fast).severity()).isEqualTo(Severity.OK);
        List<Duration> stalls = Stream.concat(
                        fast.stream().limit(98), Stream.of(Duration.ofMillis(50), Duration.ofMillis(50)))
                .toList();
        assertThat(DiskLatencyCheck.judge(directory, stalls).severity()).isEqualTo(Severity.WARNING);
        assertThat(DiskLatencyCheck.judge(directory, Collections.nCopies(9, Duration.ofMillis(500)))
                        .severity())
                .isEqualTo(Severity.PROBLEM);
    }

    @Test
    void wantsForwarding() throws Exception {
        Path setting = directory.resolve("proc/sys/net/ipv4/ip_forward");
        Files.createDirectories(setting.getParent());
        Files.writeString(setting, "0\n");
        assertThat(new ForwardingCheck(new LocalDisk(), directory).run())
                .extracting(Finding::check)
                .containsExactly("net.bridge.bridge-nf-call-iptables", "net.ipv4.ip_forward");
        assertThat(new ForwardingCheck(new LocalDisk(), directory).run()).allMatch(Finding::isWrong);
    }

    @Test
    void comparesThePacketsOfPodsWithThoseOfTheLink() throws Exception {
        MtuCheck check = new MtuCheck(new LocalDisk(), directory, _ -> OptionalInt.of(1450));
        assertThat(check.run()).singleElement().matches(finding -> !finding.isWrong());
        Path plugins = Files.createDirectories(directory.resolve("etc/cni/net.d"));
        Files.writeString(plugins.resolve("20-later.conf"), "{\"type\": \"ptp\", \"mtu\": 9000}");
        Files.writeString(plugins.resolve("10-first.conflist"), "{\"plugins\": [{\"type\": \"bridge\"}]}");
        Files.createDirectories(directory.resolve("proc/net"));
        Path routes = directory.resolve("proc/net/route");
        Files.writeString(routes, "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU\n");
        assertThat(check.run())
                .singleElement()
                .matches(finding -> finding.severity() == Severity.UNKNOWN, "no default route");
        Files.writeString(routes, """
                Iface Destination Gateway Flags RefCnt Use Metric Mask MTU
                cni0 0000020A 00000000 0001 0 0 0 00FFFFFF 0
                eth0 00000000 0132A8C0 0003 0 0 0 00000000 0
                """);
        assertThat(check.run()).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.evidence())
                    .isEqualTo(
                            "1500 by default for pods by /etc/cni/net.d/10-first.conflist, 1450 on eth0, the link of the"
                                    + " default route");
        });
        Files.writeString(
                plugins.resolve("10-first.conflist"), "{\"plugins\": [{\"type\": \"bridge\", \"mtu\": 1450}]}");
        assertThat(check.run()).singleElement().matches(finding -> finding.severity() == Severity.OK);
        Files.writeString(plugins.resolve("10-first.conflist"), "{\"plugins\": [{\"type\": \"calico\"}]}");
        assertThat(check.run()).singleElement().matches(finding -> finding.severity() == Severity.UNKNOWN);
        Files.writeString(plugins.resolve("10-first.conflist"), "{");
        assertThat(check.run()).singleElement().matches(finding -> finding.severity() == Severity.UNKNOWN);
        assertThat(MtuCheck.here("lo").orElse(0)).isPositive();
        assertThat(MtuCheck.here("none")).isEmpty();
    }

    @Test
    void saysWhatAnUnsynchronisedClockMeans() {
        assertThat(ClockCheck.judge(true).isWrong()).isFalse();
        assertThat(ClockCheck.judge(false).remedy()).contains("chrony");
    }
}
