package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.cluster.TargetHints;
import org.junit.jupiter.api.Test;

final class TargetHintsTest {
    private static TargetHints after(String... arguments) {
        return TargetHints.of(Ouro.commandLine().parseArgs(arguments));
    }

    @Test
    void whatIsAdvisedIsAboutTheClusterThatWasNamed() {
        TargetHints hints = after("status", "--name", "cli", "--kubeconfig", "my files/kubeconfig");
        assertThat(hints.in("ouro explain kube-scheduler")).isEqualTo("ouro explain --name cli kube-scheduler");
        assertThat(hints.in("see 'ouro status'"))
                .isEqualTo("see 'ouro status --name cli --kubeconfig 'my files/kubeconfig''");
        assertThat(hints.in("ouro change abort, or make the change good; ouro explain tells more"))
                .isEqualTo("ouro change abort --name cli --kubeconfig 'my files/kubeconfig', or make the change good;"
                        + " ouro explain --name cli tells more");
    }

    @Test
    void whatSaysItsClusterItselfTakesNoneOrIsNoCommandIsLeftAsItIs() {
        TargetHints hints = after("diff", "--asset-dir", "assets");
        for (String text : new String[] {
            "ouro explain kube-scheduler",
            "run it as root (sudo ouro ...)",
            "ouro upgrade plan 1.21.0 --asset-dir other",
            "ouro of another version",
            "/usr/bin/ouro status"
        }) {
            assertThat(hints.in(text)).isEqualTo(text);
        }
        assertThat(hints.in("ouro upgrade rollback goes on with it"))
                .isEqualTo("ouro upgrade rollback --asset-dir assets goes on with it");
    }

    @Test
    void nothingIsAddedWhenNothingWasGiven() {
        assertThat(after("status").in("ouro explain")).isEqualTo("ouro explain");
    }
}
