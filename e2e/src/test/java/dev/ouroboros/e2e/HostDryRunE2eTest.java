package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A dry run of {@code ouro host} changes nothing: the machine is looked at before and after. Alone, because others change it. */
@Tag("e2e")
@Tag("alone")
final class HostDryRunE2eTest {
    private static final List<String> LOOKED_AT = List.of(
            "/etc", "/opt", "/usr/bin", "/usr/local", "/usr/sbin", "/var/cache/apt", "/var/lib/apt", "/var/lib/dpkg");

    @TempDir
    private Path directory;

    private Path cache;
    private Path assets;

    @BeforeEach
    void render() {
        cache = directory.resolve("cache");
        assets = directory.resolve("assets");
        Result rendered = new OuroProgram("none")
                .runPlain(
                        "render",
                        "--asset-dir",
                        assets.toString(),
                        "--kubernetes-version",
                        "v1.20.2",
                        "--api-servers",
                        "https://192.0.2.10:6443",
                        "--etcd-servers",
                        "https://192.0.2.10:2379");
        assertThat(rendered.exitCode()).as(rendered.error()).isZero();
    }

    @Test
    void withAnEmptyCacheItSaysWhatIsMissingAndNeitherFetchesNorInstallsAnything() throws IOException {
        Map<String, String> before = machine();

        Result result = dryRun(List.of("env", "XDG_CACHE_HOME=" + cache));

        assertThat(result.exitCode()).as(result.output()).isEqualTo(2);
        assertThat(result.error())
                .contains("programs and images of Kubernetes 1.20.2 are not on this machine yet")
                .contains("ouro images build --kubernetes-version 1.20.2");
        assertThat(machine()).isEqualTo(before);
        assertThat(cache).doesNotExist();
    }

    @Test
    void withAFilledOneItSaysWhatItWouldDo() throws IOException {
        assumeTrue(System.getProperty("ouroboros.binaries", "").isEmpty(), "the cache has the version that Debian has");
        Path disk = Files.createDirectory(directory.resolve("disk"));
        Map<String, String> before = machine();

        // This machine need not be one that systemd booted.
        Result result = dryRun(List.of(), "--root", disk.toString(), "--node-name", "node-1");

        assertThat(result.exitCode()).as(result.error()).isZero();
        assertThat(result.output()).contains(disk + "/etc/kubernetes/manifests/etcd.yaml", "Node node-1 at 192.0.2.10");
        assertThat(machine()).isEqualTo(before);
        assertThat(disk).isEmptyDirectory();
    }

    private Result dryRun(List<String> prefix, String... more) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                OuroProgram.CHECKOUT.resolve("ouro").toString(),
                "host",
                "prepare",
                "--dry-run",
                "--asset-dir",
                assets.toString(),
                "--node-address",
                "192.0.2.10"));
        command.addAll(List.of(more));
        Result result = new LocalProcesses().run(Command.of(command).withTimeout(Duration.ofMinutes(2)));
        System.err.println(result.output() + result.error());
        return result;
    }

    /** Each file with its size and time; what others write to while the machine runs is not among them. */
    private static Map<String, String> machine() throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (String root : LOOKED_AT) {
            try (Stream<Path> files = Files.walk(Path.of(root))) {
                files.forEach(file -> found.put(file.toString(), state(file)));
            }
        }
        return found;
    }

    private static String state(Path file) {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.lastModifiedTime() + " " + (attributes.isDirectory() ? "" : attributes.size());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
