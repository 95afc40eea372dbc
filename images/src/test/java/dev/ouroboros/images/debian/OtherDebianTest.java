package dev.ouroboros.images.debian;

import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines whose Debian has not what a build of Kubernetes needs: what is missing is named, and what else there is. */
final class OtherDebianTest {
    @TempDir
    private Path root = Path.of("");

    private final Disk disk = new LocalDisk();
    private final Debian debian = new Debian();

    @BeforeEach
    void haveSources() {
        disk.write(root.resolve("debian.list"), bytes("deb http://debian.example/debian bookworm main\n"), "rw-r--r--");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void assertFails(ErrorCode code, String where, String what, String next) {
        DebianSource source = new DebianSource(
                debian,
                disk,
                new DebianPackages(debian, disk, root.resolve("scratch")),
                () -> Instant.EPOCH,
                new CacheDirectory(root.resolve("cache")));
        BinaryRequest request = new BinaryRequest(Optional.empty(), Optional.empty(), true, _ -> {});
        Refusal.of(() -> source.resolve(request), code)
                .whereContains(where)
                .whatContains(what)
                .nextContains(next);
    }

    @Test
    void withoutAnArchive() {
        disk.write(root.resolve("debian.list"), bytes("# nothing\n"), "rw-r--r--");
        assertFails(ErrorCode.MISSING_TOOL, "apt's package sources", "none in ", "/etc/apt/sources.list.d");
    }

    @Test
    void withoutKubernetes() {
        debian.source = "";
        assertFails(
                ErrorCode.NOT_FOUND,
                "apt's package sources",
                "offer no source package kubernetes",
                "use --binaries release or --binaries DIR");
    }

    @Test
    void withoutGo() {
        debian.candidate = "(none)";
        assertFails(ErrorCode.MISSING_TOOL, "Debian packages", "is offered", "add Debian's archive to apt's sources");
    }

    @Test
    void withAnEtcdThatSaysNoVersion() {
        debian.etcd = "hello";
        assertFails(
                ErrorCode.PROCESS_FAILED,
                "etcd --version",
                "printed no version: hello",
                "apt-get install --reinstall etcd-server");
    }

    @Test
    void withASourcePackageWithoutItsLibraries() {
        assertFails(
                ErrorCode.UNSUPPORTED_VERSION,
                "tree",
                "does not contain the libraries it needs",
                "use --binaries release or --binaries DIR");
    }

    /** Debian's programs as far as they are asked here; each leaves what the real one would. */
    private final class Debian implements Processes {
        private final LocalProcesses real = new LocalProcesses();
        private String source = "'http://debian.example/k.dsc' kubernetes_1.20.2-1.dsc 100 SHA256:00\n";
        private String candidate = "1.15";
        private String etcd = "etcd Version: 3.4.23";

        @Override
        public Result run(Command command) {
            List<String> words = command.arguments();
            return switch (words.getFirst()) {
                case "apt-config" -> said(command, "FILE='" + root.resolve("debian.list") + "'\n");
                case "apt-get" -> aptGet(command);
                case "apt-cache" -> said(command, "  Candidate: " + candidate + "\n");
                case "dpkg-query" ->
                    said(
                            command,
                            words.stream().map(word -> word + " installed\n").collect(Collectors.joining()));
                case "dpkg-deb" -> {
                    Path programs = Path.of(words.getLast()).resolve("usr/bin");
                    disk.createDirectories(programs, "rwxr-xr-x");
                    disk.write(programs.resolve("etcd"), bytes("#!/bin/sh\necho '" + etcd + "'\n"), "rwxr-xr-x");
                    disk.write(programs.resolve("etcdctl"), bytes("#!/bin/sh\n"), "rwxr-xr-x");
                    yield said(command, "");
                }
                case "dpkg-source" -> {
                    disk.createDirectories(Path.of(words.getLast()), "rwxr-xr-x");
                    yield said(command, "");
                }
                default -> real.run(command);
            };
        }

        private Result aptGet(Command command) {
            List<String> words = command.arguments();
            if (words.contains("--print-uris")) {
                return said(command, source);
            }
            String left = words.contains("source") ? "k.dsc" : words.contains("download") ? "etcd.deb" : "";
            command.directory()
                    .filter(_ -> !left.isEmpty())
                    .ifPresent(directory -> disk.write(directory.resolve(left), bytes(""), "rw-r--r--"));
            return said(command, "");
        }

        private static Result said(Command command, String output) {
            return new Result(command.describe(), 0, output, "");
        }

        @Override
        public Result stream(Command command, Consumer<String> line) {
            throw new AssertionError("nothing is built in this test");
        }

        @Override
        public int attach(Command command) {
            throw new AssertionError("not interactive");
        }
    }
}
