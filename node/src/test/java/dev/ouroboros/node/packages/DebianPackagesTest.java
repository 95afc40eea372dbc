package dev.ouroboros.node.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DebianPackagesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path scratch;

    private final FakeApt apt = new FakeApt();
    private final Recorder recorder = new Recorder(apt.commands);

    @Test
    void countsOnlyCompletelyInstalledPackages() {
        apt.database = "rsync installed\nmake config-files\n";

        assertThat(packages().missing(List.of("make", "rsync", "unheard-of"))).containsExactly("make", "unheard-of");
    }

    @Test
    void touchesNothingWhenAllIsThere() {
        apt.database = "rsync installed\n";

        assertThat(packages().ensure(List.of("rsync"), true, recorder)).isEmpty();
        assertThat(apt.commands).hasSize(1);
    }

    @Test
    void namesTheCommandWhenInstallingIsNotAllowed() {
        assertThatThrownBy(() -> packages().ensure(List.of("rsync", "make"), false, recorder))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("apt-get install --no-install-recommends rsync make");
    }

    @Test
    void saysWhatItInstallsBeforeItDoes() {
        packages().ensure(List.of("rsync"), true, recorder);

        assertThat(recorder.commandsBeforeNotice).hasSize(1);
        assertThat(apt.commands.getLast())
                .contains("install --yes --no-install-recommends")
                .endsWith("-- rsync");
    }

    @Test
    void hidesTheProgramsThatStartServicesAndCleansUp() {
        apt.onInstall = () -> {
            Path own = scratch.resolve("packages-" + ProcessHandle.current().pid());
            assertThat(own.resolve("invoke-rc.d")).isExecutable();
            assertThat(own.resolve("deb-systemd-invoke")).isExecutable();
        };

        packages().ensure(List.of("rsync"), true, recorder);

        assertThat(apt.commands.getLast()).contains("DPkg::Path=" + scratch + "/packages-");
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void removesTheDirectoryThatItMade() {
        Path own = scratch.resolve("own");

        new DebianPackages(apt, new LocalDisk(), own).ensure(List.of("rsync"), true, recorder);

        assertThat(own).doesNotExist();
    }

    @Test
    void refreshesTheListsWhenTheFirstTryFails() {
        apt.exitCodes.addAll(List.of(100, 0, 0));

        packages().ensure(List.of("rsync"), true, recorder);

        assertThat(apt.commands).hasSize(4);
        assertThat(apt.commands.get(2)).endsWith(" update");
    }

    @Test
    void reportsWhatAptSaidWhenItFailsTwice() {
        apt.exitCodes.addAll(List.of(100, 0, 100));

        assertThatThrownBy(() -> packages().ensure(List.of("rsync"), true, recorder))
                .hasMessageContaining("exit code 100")
                .hasMessageContaining("apt said so");
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void agreesWithTheRealDatabase() {
        if (!Files.isExecutable(Path.of("/usr/bin/dpkg-query"))) {
            return;
        }
        DebianPackages real =
                new DebianPackages(new dev.ouroboros.node.process.LocalProcesses(), new LocalDisk(), scratch);

        assertThat(real.missing(List.of("dpkg", "no-such-package-at-all"))).containsExactly("no-such-package-at-all");
    }

    private DebianPackages packages() {
        return new DebianPackages(apt, new LocalDisk(), scratch);
    }

    private static final class Recorder implements PackageListener {
        private final List<String> commands;
        private List<String> commandsBeforeNotice = List.of();

        Recorder(List<String> commands) {
            this.commands = commands;
        }

        @Override
        public void installing(List<String> packages) {
            commandsBeforeNotice = List.copyOf(commands);
        }

        @Override
        public void progress(String line) {}
    }

    private static final class FakeApt implements Processes {
        private final List<String> commands = new ArrayList<>();
        private final Deque<Integer> exitCodes = new ArrayDeque<>();
        private String database = "";
        private Runnable onInstall = () -> {};

        @Override
        public Result run(Command command) {
            commands.add(command.describe());
            return new Result(command.describe(), 1, database, "");
        }

        @Override
        public Result stream(Command command, Consumer<String> line) {
            commands.add(command.describe());
            onInstall.run();
            line.accept("apt said so");
            return new Result(command.describe(), exitCodes.isEmpty() ? 0 : exitCodes.removeFirst(), "", "");
        }

        @Override
        public int attach(Command command) {
            throw new AssertionError("not interactive");
        }
    }
}
