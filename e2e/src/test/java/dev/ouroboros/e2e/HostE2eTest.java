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

/** The way of {@code docs/real-hosts.md} on a machine that a real systemd runs: prepared, started, booted again, given back. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
final class HostE2eTest {
    private static final Path PAGE = OuroProgram.CHECKOUT.resolve("docs/real-hosts.md");
    private static final Duration LONG = Duration.ofMinutes(10);

    @TempDir
    private Path directory = Path.of("");

    private SystemdHost host = new SystemdHost(Path.of(""));

    @AfterEach
    void takeItsPower() throws Exception {
        host.cutPower();
    }

    @Test
    void aMachineBecomesANodeComesBackAfterAPowerCutAndIsGivenBack() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/lib/systemd/systemd")), "systemd is not installed on this machine");
        assumeTrue(
                System.getProperty("ouroboros.binaries", "").isEmpty(),
                "the page is about the version that Debian has");
        DocumentedCommands page = DocumentedCommands.in(PAGE);
        host = new SystemdHost(directory);
        host.boot();
        host.require("mkdir -p /root/real-host");
        HostTraces before = HostTraces.of(host);

        page.section("A control-plane node").requireDoWhatTheySay(script -> host.shell(script, LONG));
        assertThat(host.shell("cd /root/real-host; ouro host prepare --asset-dir assets", LONG)
                        .exitCode())
                .as("nobody can be asked")
                .isEqualTo(2);
        host.require("sync");
        host.cutPower();
        host.boot();
        page.section("After a power cut").requireDoWhatTheySay(script -> host.shell(script, LONG));
        everythingIsBack();
        page.section("Changes and upgrades").requireDoWhatTheySay(script -> host.shell(script, LONG));
        host.forgetContainers();
        page.section("Back to nothing").requireDoWhatTheySay(script -> host.shell(script, LONG));

        before.requireAllThereIs(host);
    }

    /** As the keeper of the node sees it: what the API has of pods is of before the cut for a while. */
    private void everythingIsBack() throws Exception {
        Await.until("the control plane hosts itself again", () -> {
            Result status =
                    host.shell("KUBECONFIG=/root/real-host/assets/auth/kubeconfig ouro status", Duration.ofMinutes(1));
            return status.exitCode() == 0
                    && status.output().contains("kube-apiserver")
                    && !status.output().contains("understudy");
        });
    }
}
