package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.lock.ExclusiveLock;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A keeper beside one that acts. The test has the lock of the other one. */
final class DaemonLookOnTest {
    private KeeperWorld world;
    private Path own;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        own = Files.createDirectories(directory.resolve("state/keeper"));
        world = new KeeperWorld(directory);
    }

    @AfterEach
    void end() throws Exception {
        world.close();
    }

    @Test
    void looksOnAndSaysThatItDecidesAndActsWhenTheOtherHasEnded() throws Exception {
        try (ExclusiveLock _ = ExclusiveLock.acquire(own.resolve("work"), "another keeper")) {
            world.pod(true);
            world.startKeeper();
            eventually("it says that it decides", () -> ExclusiveLock.isHeld(own.resolve("successor")));
            world.principalDies();
            Thread.sleep(KeeperWorld.QUICK.failover().multipliedBy(2));

            assertThat(world.acts()).isFalse();
            assertThat(own.resolveSibling("checkpoints")).doesNotExist();
            assertThat(world.front.calls()).isEmpty();
            world.principalComesBack();
        }

        eventually("it acts", world::acts);
        assertThat(ExclusiveLock.isHeld(own.resolve("successor")))
                .as("it does not take itself for its successor")
                .isFalse();
        eventually("it saves", () -> world.ask("/decisions").body().contains("save-candidate"));
    }

    @Test
    void endsWhileItLooksOn() throws Exception {
        try (ExclusiveLock _ = ExclusiveLock.acquire(own.resolve("work"), "another keeper")) {
            world.startKeeper();
            eventually("it says that it decides", () -> ExclusiveLock.isHeld(own.resolve("successor")));

            world.stopKeeper();

            assertThat(world.keeperRuns()).isFalse();
            assertThat(ExclusiveLock.isHeld(own.resolve("successor"))).isFalse();
        }
    }
}
