package dev.ouroboros.keeper.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class KnownServersTest {
    private static final Path DIRECTORY = Path.of("/var/lib/ouroboros/keeper");
    private static final Path FILE = DIRECTORY.resolve("servers.json");
    private static final ServerAddress A = at("10.77.0.2");
    private static final ServerAddress B = at("10.77.0.3");
    private static final ServerAddress C = at("fd00::4");

    private final ModelDisk disk = new ModelDisk();
    private Instant now = Instant.parse("2026-11-26T12:00:00Z");

    @BeforeEach
    void directory() {
        disk.createDirectories(DIRECTORY, Disk.OWNER_ONLY_DIRECTORY);
    }

    private static ServerAddress at(String address) {
        return new ServerAddress(InetAddress.ofLiteral(address), 6443);
    }

    private static SortedSet<ServerAddress> those(ServerAddress... servers) {
        return new TreeSet<>(Arrays.asList(servers));
    }

    private KnownServers begun(ServerAddress... seeds) {
        return new KnownServers(disk, FILE, those(seeds), () -> now);
    }

    @Test
    void knowsWhatItsConfigurationSaysUntilTheApiNamesServers() {
        KnownServers servers = begun(A);
        assertThat(servers.members()).containsExactly(A);
        assertThat(servers.lastResorts()).isEmpty();

        servers.learn(those(B, C));
        assertThat(servers.members()).containsExactly(B, C);
        assertThat(servers.lastResorts())
                .as("the configuration may be right again")
                .containsExactly(A);
    }

    @Test
    void anEmptyListIsNoNews() {
        KnownServers servers = begun(A);
        servers.learn(those(B));
        servers.learn(those());
        assertThat(servers.members()).containsExactly(B);
    }

    @Test
    void aPowerCutTakesNothing() {
        KnownServers before = begun(A);
        before.learn(those(A, B));
        before.learn(those(B, C));

        KnownServers after = begun();
        assertThat(after.members()).containsExactly(B, C);
        assertThat(after.lastResorts()).containsExactly(A);
    }

    @Test
    void whoLeftIsForgottenAfterAMonthAndKnownAtOnceWhenItComesBack() {
        KnownServers servers = begun();
        servers.learn(those(A, B));
        servers.learn(those(B));
        assertThat(servers.lastResorts()).containsExactly(A);

        servers.learn(those(A, B));
        assertThat(servers.lastResorts()).isEmpty();

        servers.learn(those(B));
        now = now.plus(Duration.ofDays(29));
        assertThat(servers.lastResorts()).containsExactly(A);
        now = now.plus(Duration.ofDays(2));
        assertThat(servers.lastResorts()).isEmpty();
        assertThat(begun().lastResorts()).as("nor by the next one").isEmpty();
    }

    @Test
    void aFileThatIsNotOursStaysAsItIs() {
        for (String text : new String[] {
            "oops",
            "{}",
            "{\"apiVersion\": \"ouroboros.dev/v1alpha1\", \"kind\": \"KnownServers\", \"members\": [{\"address\": \"no\"}]}",
            "{\"apiVersion\": \"ouroboros.dev/v1alpha1\", \"kind\": \"KnownServers\", \"departed\": [{\"address\": \"10.0.0.1\", \"port\": 1}]}"
        }) {
            disk.tamper(FILE, text, Disk.OWNER_ONLY_FILE);
            KnownServers servers = begun(A);
            servers.learn(those(B));
            assertThat(servers.members()).as(text).containsExactly(B);
            assertThat(disk.readText(FILE)).contains(text);
        }
    }
}
