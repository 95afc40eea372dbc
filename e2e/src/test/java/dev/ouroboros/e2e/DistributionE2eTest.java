package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A newcomer's path: an archive, unpacked in a fresh directory on a machine that has no Java of ours, the README's commands, a workload
 * that runs, and back to nothing.
 */
@Tag("e2e")
final class DistributionE2eTest {
    private static final String NAME = "e2e-newcomer";

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void down() {
        new OuroProgram(NAME).down();
    }

    @Test
    @Tag("long")
    void anArchiveWithoutJavaMakesAClusterAndTakesItDownAgain() throws Exception {
        Path archive = packed(OuroProgram.CHECKOUT, "first");
        theBillOfMaterialsNamesJarsAndTheJavaRuntimes(
                archive.resolveSibling(archive.getFileName().toString().replace(".tar.gz", ".cdx.json")));
        require(run(directory, "tar", "-xzf", archive.toString()));
        Path home = unpacked();
        require(run(home, "sha256sum", "--check", "--quiet", "SHA256SUMS"));

        assertThat(require(run(home, "./ouro", "--version"))).startsWith("ouro ");
        require(run(home, withBinaries("./ouro", "up", "--name", NAME)));
        String kubeconfig =
                require(run(home, "./ouro", "kubeconfig", "--name", NAME)).strip();
        assertThat(Path.of(kubeconfig)).isRegularFile();
        kubectl(
                home,
                "run",
                "hello",
                "--restart=Never",
                "--image="
                        + require(run(
                                home,
                                "./ouro",
                                "exec",
                                "--name",
                                NAME,
                                NAME,
                                "--",
                                "kubectl",
                                "get",
                                "daemonset/kube-proxy",
                                "-n",
                                "kube-system",
                                "-o",
                                "jsonpath={.spec.template.spec.containers[0].image}")),
                "--command",
                "--",
                "kube-proxy",
                "--version");
        Await.until(
                "the workload has run",
                () -> kubectl(home, "get", "pod", "hello", "-o", "jsonpath={.status.phase}")
                        .equals("Succeeded"));
        assertThat(kubectl(home, "logs", "hello")).contains("Kubernetes v");
        aBundleBringsBackAnImageThatIsGone(home);
        require(run(home, "./ouro", "down", "--name", NAME));
        assertThat(run(home, "./ouro", "nodes", "--name", NAME).error()).contains("there is no sandbox '" + NAME + "'");
        assertThat(Path.of("/var/lib/ouroboros/sandboxes", NAME)).doesNotExist();
    }

    private static void theBillOfMaterialsNamesJarsAndTheJavaRuntimes(Path bill) throws IOException {
        List<String> components = new ArrayList<>();
        for (JsonNode component : new ObjectMapper().readTree(bill.toFile()).path("components")) {
            components.add(component.path("name").asText() + " "
                    + component.path("version").asText());
        }
        assertThat(components)
                .as("the command line's and the keeper's")
                .filteredOn(("Java runtime " + Runtime.version())::equals)
                .hasSize(2);
        assertThat(components).anyMatch(component -> component.startsWith("picocli "));
    }

    private void aBundleBringsBackAnImageThatIsGone(Path home) {
        String bundle = directory.resolve("bundle.tar").toString();
        require(run(home, withBinaries("./ouro", "images", "bundle", bundle)));
        String remove = "ctr -n k8s.io images rm $(ctr -n k8s.io images ls -q | grep kube-scheduler)";
        require(run(home, "./ouro", "exec", "--name", NAME, NAME, "--", "sh", "-c", remove));
        String programs = directory.resolve("programs").toString();
        Result loaded =
                run(home, "./ouro", "images", "load", "--name", NAME, "--bundle", bundle, "--programs", programs);
        require(loaded);
        assertThat(loaded.error()).contains("1 of 8 images loaded");
        assertThat(require(run(home, programs + "/kubelet", "--version"))).startsWith("Kubernetes v");
    }

    /** From two clean clones, each built from nothing; the JVM's cache is none of it. */
    @Test
    @Tag("long")
    void twoBuildsAreTheSameByteForByte() throws Exception {
        List<String> sums = new ArrayList<>();
        for (String clone : List.of("one", "other")) {
            Path checkout = directory.resolve(clone);
            require(run(directory, "git", "clone", "--quiet", OuroProgram.CHECKOUT.toString(), checkout.toString()));
            Path archive = packed(checkout, clone + "-packed");
            sums.add(require(run(directory, "tar", "-xzOf", archive.toString(), "--wildcards", "*/SHA256SUMS")));
        }
        assertThat(sums.get(1)).contains("./lib/model-").isEqualTo(sums.get(0));
    }

    /** With the checkout's tools, as who packs has them. */
    private Path packed(Path checkout, String name) throws IOException {
        Path output = directory.resolve(name);
        Result result = new LocalProcesses()
                .run(Command.of(List.of(checkout.resolve("scripts/dist").toString(), output.toString()))
                        .withTimeout(Duration.ofMinutes(15)));
        assertThat(result.exitCode()).as(result.error()).isZero();
        try (Stream<Path> files = Files.list(output)) {
            return files.filter(file -> file.toString().endsWith(".tar.gz"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private Path unpacked() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> Files.isExecutable(file.resolve("ouro")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String[] withBinaries(String... words) {
        List<String> command = new ArrayList<>(List.of(words));
        String binaries = System.getProperty("ouroboros.binaries", "");
        if (!binaries.isEmpty()) {
            command.addAll(List.of("--binaries", binaries));
        }
        return command.toArray(String[]::new);
    }

    private static String kubectl(Path home, String... arguments) {
        List<String> command = new ArrayList<>(List.of("./ouro", "exec", "--name", NAME, NAME, "--", "kubectl"));
        command.addAll(List.of(arguments));
        return require(run(home, command.toArray(String[]::new)));
    }

    /** With nothing in the environment but what a login as root has, and no JAVA_HOME. */
    private static Result run(Path place, String... command) {
        List<String> all = new ArrayList<>(List.of(
                "env",
                "-i",
                "-C",
                place.toString(),
                "HOME=" + System.getProperty("user.home"),
                "PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"));
        String cache = System.getenv("XDG_CACHE_HOME");
        if (cache != null) {
            all.add("XDG_CACHE_HOME=" + cache);
        }
        all.addAll(List.of(command));
        return new LocalProcesses().run(Command.of(all).withTimeout(Duration.ofMinutes(30)));
    }

    private static String require(Result result) {
        assertThat(result.exitCode())
                .as("%s%s", result.output(), result.error())
                .isZero();
        return result.output();
    }
}
