package dev.ouroboros.node.front;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.process.LocalProcesses;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code nft} may answer instead of what was asked. A shell stands in their place. */
final class FrontProgramsTest {
    private static final String OUR_NAME = "{\"nftables\":[{\"table\":{\"family\":\"inet\",\"name\":\"ouroboros\"}}]}";

    /** The front where a program and its arguments are {@code $0} and {@code $@} of a script. */
    private static Front frontWhere(String script) {
        return new NftFront(
                new LocalProcesses(),
                List.of("sh", "-c", script),
                FrontSpec.of(List.of(InetAddress.ofLiteral("10.0.0.5")), List.of()));
    }

    @Test
    void aTableThatAnotherToolMadeIsNotTouched() {
        Front front = frontWhere("[ \"$3\" = tables ] && echo '" + OUR_NAME + "' || echo '{\"nftables\":[]}'");

        Refusal.of(front::remove, ErrorCode.FOREIGN_TABLE)
                .whereContains("nftables table inet ouroboros")
                .whatContains("so another tool made it")
                .nextContains("nft list table inet ouroboros shows it");
    }

    @Test
    void aTableThatCannotBeReadIsNotTouched() {
        Front front = frontWhere("echo 'Operation not permitted (you must be root)' >&2; exit 1");

        Refusal.of(front::install, ErrorCode.PROCESS_FAILED)
                .whereContains("nftables table inet ouroboros")
                .whatContains("cannot be read: ")
                .nextContains("run as root on a kernel with nftables");
        assertThatThrownBy(front::install).hasMessageContaining("you must be root");
    }
}
