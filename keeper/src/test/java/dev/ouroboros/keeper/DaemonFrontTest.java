package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.node.front.NftFront;
import dev.ouroboros.node.namespace.TemporaryNamespace;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The keeper and a real front, in a network namespace of its own. */
@Tag("e2e")
final class DaemonFrontTest {
    @Test
    void putsTheFrontBackAtOnceWhenAnotherToolFlushedIt(@TempDir Path directory) throws Exception {
        LocalProcesses processes = new LocalProcesses();
        KeeperWorld world = new KeeperWorld(directory);
        try (TemporaryNamespace node = TemporaryNamespace.create()) {
            NftFront front = new NftFront(processes, node.namespace().prefix(), world.front.spec());
            world.pod(true);
            world.startKeeper(front, node.namespace().prefix(), world.front.port());
            eventually("installed", () -> front.read() instanceof FrontState.ToPrincipal);
            // The first full reading is behind us, and the next one half a minute away: only an event can tell.
            eventually("a checkpoint", () -> world.lastGood().isPresent());

            processes
                    .run(Command.of("nft", "flush", "ruleset")
                            .behind(node.namespace().prefix()))
                    .orThrow();
            long flushed = System.nanoTime();
            eventually("installed again", () -> front.read() instanceof FrontState.ToPrincipal);

            assertThat(Duration.ofNanos(System.nanoTime() - flushed)).isLessThan(Duration.ofSeconds(5));
        } finally {
            world.close();
        }
    }
}
