package dev.ouroboros.node.front;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.process.LocalProcesses;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NftTablesTest {
    /** Seen with nftables 1.0.6 and a table that 1.1.3 had made. */
    @Test
    void saysWhyAnOldProgramCrashes() {
        NftTables tables = new NftTables(new LocalProcesses(), List.of("sh", "-c", "kill -SEGV $$", "--"));

        Refusal.of(() -> tables.list("inet", "ouroboros"), ErrorCode.PROCESS_FAILED)
                .whatContains("crashed, as an nft does that meets sets of a newer one")
                .nextContains("nft --version");
        Refusal.of(() -> tables.apply("add table inet ouroboros"), ErrorCode.PROCESS_FAILED)
                .whatContains("crashed");
    }
}
