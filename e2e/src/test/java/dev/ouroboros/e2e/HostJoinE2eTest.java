package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.node.process.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two machines, each run by a real systemd: one has a cluster, the other joins it, and is given back. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
final class HostJoinE2eTest {
    private static final Path PAGE = OuroProgram.CHECKOUT.resolve("docs/real-hosts.md");
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final String KUBECONFIG = "export KUBECONFIG=/root/real-host/assets/auth/kubeconfig; ";

    @TempDir
    private Path first = Path.of("");

    @TempDir
    private Path second = Path.of("");

    private SystemdHost master = new SystemdHost(Path.of(""));
    private SystemdHost worker = new SystemdHost(Path.of(""));

    @AfterEach
    void takeTheirPower() throws Exception {
        worker.cutPower();
        master.cutPower();
    }

    @Test
    void aMachineJoinsWithAToken() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/lib/systemd/systemd")), "systemd is not installed on this machine");
        assumeTrue(
                System.getProperty("ouroboros.binaries", "").isEmpty(),
                "the page is about the version that Debian has");
        DocumentedCommands page = DocumentedCommands.in(PAGE);
        try (HostSwitch network = new HostSwitch()) {
            master = new SystemdHost(first);
            master.boot();
            master.plugInto(network);
            worker = new SystemdHost("worker", "10.0.0.6", second);
            worker.boot();
            worker.plugInto(network);
            master.require("mkdir -p /root/real-host");
            page.section("A control-plane node").requireDoWhatTheySay(script -> master.shell(script, LONG));
            HostTraces before = HostTraces.of(worker);

            refused("--token abcdef.0123456789abcdef", "the cluster does not know it");
            page.section("More nodes").requireDoWhatTheySay(script -> master.shell(script, LONG));
            String join = master.require(KUBECONFIG + "ouro token create --pool racked")
                    .strip();
            assertThat(worker.shell(join + " --yes", LONG).orThrow()).isEmpty();
            itIsWhatItsPoolSays();
            podsOfBothReachEachOther();
            aTokenThatWasDeletedLetsNobodyIn(join);
            worker.require("ouro host reset --delete-data --yes");
            before.requireAllThereIs(worker);
        }
    }

    private void refused(String token, String why) {
        String hash = master.require(
                        KUBECONFIG + "ouro token create -o json | sed -n 's/.*\"caHash\" *: *\"\\(.*\\)\".*/\\1/p'")
                .strip();
        Result refused = worker.shell("ouro host join https://10.0.0.5:6443 --ca-hash " + hash + " " + token, LONG);
        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.error()).contains(why);
        Result elsewhere =
                worker.shell("ouro host join https://10.0.0.5:6443 --ca-hash " + "0".repeat(64) + " " + token, LONG);
        assertThat(elsewhere.error()).contains("this is another cluster, or somebody between");
    }

    private void itIsWhatItsPoolSays() {
        assertThat(
                        master.require(
                                KUBECONFIG
                                        + "kubectl get node worker -o jsonpath='{.metadata.labels.rack} {.spec.taints[*].key} {.status.capacity.pods}'"))
                .startsWith("7 ")
                .contains("racked")
                .endsWith(" 50");
    }

    /** Each has a route to the other's pods, and the DNS, a pod of the first one, answers the second. */
    private void podsOfBothReachEachOther() throws Exception {
        Await.until(
                "each has a route to the other's pods",
                () -> master.require("ip route show proto 79").contains("via 10.0.0.6")
                        && worker.require("ip route show proto 79").contains("via 10.0.0.5"));
        String dns = master.require(KUBECONFIG
                + "kubectl -n kube-system get pods -l k8s-app=kube-dns -o jsonpath='{.items[0].status.podIP}'");
        worker.require("timeout 10 bash -c ': </dev/tcp/" + dns.strip() + "/1053'");
    }

    private void aTokenThatWasDeletedLetsNobodyIn(String join) {
        String id = join.replaceFirst(".*--token (\\w+)\\..*", "$1");
        master.require(KUBECONFIG + "ouro token list | grep -q '^" + id + "'");
        master.require(KUBECONFIG + "ouro token delete " + id);
        assertThat(worker.shell(join + " --yes", LONG).error()).contains("was deleted");
    }
}
