package dev.ouroboros.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.host.Links;
import dev.ouroboros.sandbox.node.Subnet;
import dev.ouroboros.sandbox.testing.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SandboxRecordsTest {
    @TempDir
    Path directory;

    private Path root;
    private SandboxRecords records;

    @BeforeEach
    void set() throws IOException {
        root = Files.createDirectories(directory.resolve("ouroboros/sandboxes"));
        InstantSource time = InstantSource.fixed(Instant.parse("2026-11-21T00:00:00Z"));
        records = new SandboxRecords(
                root, new Links(new RoutesOnly()), new LocalDisk(), time, new Waiting(InstantSource.system()));
    }

    @Test
    void aRecordIsReadAsItWasWritten() throws IOException {
        SandboxPaths paths = made("one");
        SandboxRecord record = records.ensure(paths, Optional.empty())
                .withKubernetesVersion("1.20.2")
                .withMilliCpus(Optional.of(300))
                .withNode("two", false)
                .completed();

        records.write(paths, record);

        assertThat(records.read(paths)).contains(record);
        assertThat(records.ensure(paths, Optional.empty())).isEqualTo(record);
    }

    @Test
    void aRecordOfBeforeThereWereSeveralNodesHasOne() throws IOException {
        SandboxPaths paths = made("one");
        Files.writeString(paths.record(), "{\"subnet\": 3, \"created\": \"2026-11-21T00:00:00Z\", \"complete\": true}");

        assertThat(records.read(paths).orElseThrow().nodes()).containsExactly(NodeRecord.first(new SandboxName("one")));
    }

    @Test
    void aNodeGetsTheLowestAddressThatIsFreeAndANameOfItsOwn() throws IOException {
        SandboxRecord record = records.ensure(made("one"), Optional.empty())
                .withNode("two", false)
                .withNode("three", false)
                .withoutNode("two")
                .withNode("four", false);

        assertThat(record.nodes())
                .containsExactly(
                        NodeRecord.first(new SandboxName("one")),
                        new NodeRecord("three", 4),
                        new NodeRecord("four", 3));
        Refusal.of(
                () -> record.withNode("three", false),
                ErrorCode.BAD_USAGE,
                "node three",
                "is there already",
                "choose another; 'ouro nodes' lists them");
    }

    @Test
    void whenEveryAddressIsTakenNoNodeIsAdded() throws IOException {
        SandboxRecord record = records.ensure(made("one"), Optional.empty());
        for (int number = Subnet.FIRST_NODE + 1; number <= Subnet.LAST_NODE; number++) {
            record = record.withNode("node-" + number, false);
        }
        SandboxRecord full = record;

        Refusal.of(
                () -> full.withNode("another", false),
                ErrorCode.BAD_USAGE,
                "node another",
                "every address of 10.77.1.0/24 is taken",
                "remove a node first: ouro node remove NODE");
    }

    @Test
    void noTwoSandboxesGetTheSameNetworkNorOneThatTheHostUses() throws IOException {
        SandboxRecord one = records.ensure(made("one"), Optional.empty());
        SandboxRecord two = records.ensure(made("two"), Optional.empty());

        // 10.77.0.0/24 is a route of the host.
        assertThat(one.subnet()).isEqualTo(new Subnet(1));
        assertThat(two.subnet()).isEqualTo(new Subnet(2));
        assertThat(one.kubernetesVersion()).isEqualTo(Optional.empty());
    }

    @Test
    void aNetworkThatIsAskedForIsGivenOrRefused() throws IOException {
        SandboxPaths lost = made("lost");
        Subnet wanted = new Subnet(7);

        assertThat(records.ensure(lost, Optional.of(wanted)).subnet()).isEqualTo(wanted);
        assertThat(records.ensure(lost, Optional.of(wanted)).subnet())
                .as("asked once more")
                .isEqualTo(wanted);
        assertThatThrownBy(() -> records.ensure(made("other"), Optional.of(wanted)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("10.77.7.0/24 is in use");
        assertThatThrownBy(() -> records.require(made("other"), wanted))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("10.77.7.0/24 is in use");
        assertThatThrownBy(() -> records.require(lost, new Subnet(8)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("10.77.8.0/24");
        assertThatThrownBy(() -> records.ensure(lost, Optional.of(new Subnet(8))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("10.77.8.0/24");
    }

    @Test
    void whoHasTheNetworkThatIsAskedForIsNamed() throws IOException {
        Subnet wanted = new Subnet(7);
        records.ensure(made("old"), Optional.of(wanted));

        Refusal.of(
                () -> records.require(made("new"), wanted),
                ErrorCode.NOT_FOUND,
                "network of the sandbox",
                "10.77.7.0/24 is in use on this machine: sandbox old has it",
                "take that sandbox down (ouro down --name old)");
        Refusal.of(
                () -> records.require(made("new"), new Subnet(0)),
                ErrorCode.NOT_FOUND,
                "network of the sandbox",
                "10.77.0.0/24 is in use on this machine: there is a route to 10.77.0.0/24",
                "remove the route to 10.77.0.0/24");
    }

    @Test
    void aMachineThatHasARouteToAllOurNetworksHearsWhatToFree() throws IOException {
        SandboxPaths one = made("one");

        Refusal.of(
                () -> onMachineWith("10.77.3.0/24", "10.0.0.0/8").ensure(one, Optional.empty()),
                ErrorCode.NOT_FOUND,
                "network of the sandbox",
                "every network of 10.77.0.0/16 is in use on this machine: there is a route to 10.0.0.0/8",
                "remove the route to 10.0.0.0/8");
    }

    @Test
    void aMachineFullOfSandboxesHearsThatOneHasToGo() throws IOException {
        SandboxRecords full = onMachineWith();
        for (int number = 0; number <= 255; number++) {
            Files.writeString(
                    made("s" + number).record(), "{\"subnet\": " + number + ", \"created\": \"2026-11-21T00:00:00Z\"}");
        }
        SandboxPaths another = made("another");

        Refusal.of(() -> full.ensure(another, Optional.empty()), ErrorCode.NOT_FOUND)
                .what("every network of 10.77.0.0/16 is in use on this machine")
                .nextContains("take a sandbox down", "ouro down --name NAME");
    }

    /** OpenVPN and others leave the default route and add two that are longer. */
    @Test
    void theWayToEverywhereInTwoHalvesTakesNoNetwork() throws IOException {
        SandboxRecord one = onMachineWith("0.0.0.0/1", "128.0.0.0/1").ensure(made("one"), Optional.empty());

        assertThat(one.subnet()).isEqualTo(new Subnet(0));
    }

    private SandboxRecords onMachineWith(String... routes) {
        String listed =
                Stream.of(routes).map("{\"dst\": \"%s\"}"::formatted).collect(Collectors.joining(", ", "[", "]"));
        Programs ip = _ -> listed;
        return new SandboxRecords(
                root, new Links(ip), new LocalDisk(), InstantSource.system(), new Waiting(InstantSource.system()));
    }

    @Test
    void aDamagedRecordIsNamedAndLeftAlone() throws IOException {
        SandboxPaths paths = made("one");
        Files.writeString(paths.record(), "{\"subnet\": ");

        Refusal.of(() -> records.read(paths), ErrorCode.FOREIGN_FILE)
                .where(paths.record())
                .next("take the sandbox down (ouro down --name one) and make it again");
        assertThat(paths.record()).hasContent("{\"subnet\": ");
    }

    @Test
    void aDamagedRecordIsNoTroubleOfAnotherSandbox() throws IOException {
        Files.writeString(made("damaged").record(), "{\"subnet\": ");

        assertThat(records.ensure(made("one"), Optional.empty()).subnet()).isEqualTo(new Subnet(1));
    }

    @Test
    void theRootGoesWithTheLastSandbox() throws IOException {
        SandboxPaths paths = made("one");
        records.ensure(paths, Optional.empty());

        records.removeUnlessMade(paths);
        assertThat(paths.record()).exists();

        Files.delete(paths.record());
        records.removeUnlessMade(paths);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whereNothingWasMadeIsNoSandbox() throws IOException {
        records.ensure(made("one"), Optional.empty());
        Files.createFile(made("refused").lock());

        assertThat(records.names()).containsExactly(new SandboxName("one"));
    }

    private SandboxPaths made(String name) throws IOException {
        SandboxPaths paths = new SandboxPaths(root, new SandboxName(name));
        Files.createDirectories(paths.directory());
        return paths;
    }

    /** A machine that has a default route, a network in our range, and its own address. */
    private static final class RoutesOnly implements Processes {
        @Override
        public Result run(Command command) {
            String routes = """
                    [{"dst":"default"},{"dst":"10.77.0.0/24"},{"type":"local","dst":"192.0.2.2"}]
                    """;
            return new Result(command.describe(), 0, routes, "");
        }

        @Override
        public Result stream(Command command, Consumer<String> line) {
            throw new UnsupportedOperationException(command.describe());
        }

        @Override
        public int attach(Command command) {
            throw new UnsupportedOperationException(command.describe());
        }
    }
}
