package dev.ouroboros.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RendererTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-21T12:00:00Z"));
    private static final String CONFIG = """
            apiVersion: ouroboros.dev/v1alpha1
            kind: Cluster
            metadata: {name: demo}
            spec:
              kubernetesVersion: v1.20.2
              apiServer:
                endpoints: [https://10.77.0.2:6443]
              etcd:
                servers: [https://10.77.0.2:2379]
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it.
    private Path temporary;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path assets;

    @BeforeEach
    void nameTheDirectory() {
        assets = temporary.resolve("assets");
    }

    @Test
    void rendersTheExampleOfTheDocumentation() {
        RenderReport report = renderer().render(RenderRequest.ofFile(Path.of("../docs/examples/cluster.yaml"), assets));

        assertThat(report.written())
                .contains(AssetLayout.API_SERVER, AssetLayout.CA_KEY)
                .hasSizeGreaterThan(50);
        assertThat(report.keepOutside()).contains(AssetLayout.ENCRYPTION_CONFIG, AssetLayout.CA_KEY);
        assertThat(report.keepOutside())
                .allSatisfy(path -> assertThat(assets.resolve(path)).exists());
    }

    @Test
    void keepsEverythingWhenRenderedAgain() throws IOException {
        render(CONFIG);
        Map<String, String> before = contents();
        RenderReport second = render(CONFIG);

        assertThat(second.written()).isEmpty();
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void makesWithoutWritingWhatItWouldWrite() throws IOException {
        render(CONFIG);
        Map<String, String> before = contents();
        Path config = temporary.resolve("next.yaml");
        Files.writeString(config, CONFIG.replace("v1.20.2", "v1.21.0"));

        Rendered made = renderer().make(RenderRequest.ofFile(config, assets));

        assertThat(contents()).isEqualTo(before);
        RenderReport written = renderer().render(RenderRequest.ofFile(config, assets));
        assertThat(made.different()).isEqualTo(written.written()).contains(AssetLayout.API_SERVER);
        assertThat(made.assets())
                .allSatisfy(asset -> assertThat(assets.resolve(asset.path())).hasContent(asset.text()));
    }

    @Test
    void rewritesOnlyWhatAChangeTouches() throws IOException {
        render(CONFIG);
        Map<String, String> before = contents();
        RenderReport second = render(CONFIG + "  extraArgs: {kubeScheduler: {v: 4}}\n");

        assertThat(second.written())
                .containsExactlyInAnyOrder(AssetLayout.SCHEDULER, AssetLayout.bootstrapManifest(Component.SCHEDULER));
        assertThat(contents().get(AssetLayout.SCHEDULER_SECRET)).isEqualTo(before.get(AssetLayout.SCHEDULER_SECRET));
    }

    @Test
    void hidesSecretsFromOthers() throws IOException {
        render(CONFIG + "  addOns: addons\n", Map.of("addons/one.yaml", "apiVersion: v1\nkind: Secret\n"));

        for (String path : contents().keySet()) {
            String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(assets.resolve(path)));
            boolean secret = path.endsWith(".key")
                    || path.endsWith("-secret.yaml")
                    || path.endsWith("encryption-config.yaml")
                    || path.endsWith("token.yaml")
                    || path.contains("addon")
                    || path.startsWith("auth/");
            if (secret) {
                assertThat(permissions).as(path).isEqualTo("rw-------");
            }
        }
        try (Stream<Path> all = Files.walk(assets)) {
            for (Path directory : all.filter(Files::isDirectory).toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                        .as(directory.toString())
                        .isEqualTo("rwx------");
            }
        }
    }

    @Test
    void refusesToOverwriteEditedFilesAndNamesThemAll() throws IOException {
        render(CONFIG);
        Path scheduler = assets.resolve(AssetLayout.SCHEDULER);
        Files.writeString(scheduler, Files.readString(scheduler) + "# mine\n");
        Path server = assets.resolve(AssetLayout.API_SERVER);
        Files.writeString(server, "mine\n");
        Map<String, String> before = contents();

        ProblemException refusal = catchThrowableOfType(ProblemException.class, () -> render(CONFIG));

        assertThat(refusal.problems())
                .extracting(Problem::code, Problem::where)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(ErrorCode.EDITED_FILE, server.toString()),
                        org.assertj.core.groups.Tuple.tuple(ErrorCode.EDITED_FILE, scheduler.toString()));
        assertThat(contents()).isEqualTo(before);
        RenderReport forced = renderer()
                .render(new RenderRequest(
                        Optional.of(temporary.resolve("cluster.yaml")),
                        Settings.builder().build(),
                        assets,
                        true));
        assertThat(forced.written()).containsExactlyInAnyOrder(AssetLayout.API_SERVER, AssetLayout.SCHEDULER);
    }

    @Test
    void goesOnWhereverItWasKilled() throws IOException {
        write(CONFIG, Map.of());
        RenderRequest request = RenderRequest.ofFile(temporary.resolve("cluster.yaml"), assets);
        Disk disk = new LocalDisk();
        int changes = 0;
        boolean killed = true;
        while (killed) {
            disk.deleteTree(assets);
            killed = isKilled(FullDisk.after(changes, disk), request);
            RenderReport resumed = renderer().render(request);
            // Killed in the last changes, it leaves nothing but the ledger to be written.
            assertThat(killed || resumed.written().isEmpty()).isTrue();
            assertThat(render(CONFIG).written()).isEmpty();
            // Every place while authorities are written, then every seventh.
            changes += changes < 20 ? 1 : 7;
        }
        assertThat(changes).isGreaterThan(50);
    }

    private static boolean isKilled(Disk disk, RenderRequest request) {
        try {
            renderer(disk).render(request);
            return false;
        } catch (FullDisk.Killed killed) {
            return true;
        }
    }

    @Test
    void removesItsManifestsOfWhatLeftTheClusterButNoKey() {
        render(CONFIG);
        RenderReport second = render(CONFIG + "  images: {kubeProxy: none}\n");

        assertThat(second.removed()).containsExactlyInAnyOrder(AssetLayout.PROXY, AssetLayout.PROXY_SECRET);
        assertThat(assets.resolve(AssetLayout.PROXY)).doesNotExist();
        assertThat(assets.resolve(AssetLayout.PROXY_KEY)).exists();
    }

    @Test
    void takesAddOnsOverByteByByte() throws IOException {
        String addOn = "# mine\r\napiVersion: v1\nkind: Namespace\nmetadata: {name:   web}\n---\n";
        render(CONFIG + "  addOns: ./addons\n", Map.of("addons/web.yaml", addOn, "addons/notes.txt", "no"));

        assertThat(Files.readString(assets.resolve("manifests/z-addon-web.yaml")))
                .isEqualTo(addOn);
        assertThat(contents().keySet())
                .filteredOn(path -> path.contains("notes"))
                .isEmpty();
    }

    @Test
    void reportsMistakesOfConfigurationAndFilesTogether() {
        ProblemException refusal = catchThrowableOfType(
                ProblemException.class,
                () -> render(
                        CONFIG.replace("v1.20.2", "v9.9.9") + """
                          addOns: addons
                          pki: {caCertificateFile: ca.crt, caPrivateKeyFile: missing.key}
                        """,
                        Map.of("addons/broken.yaml", "a: [", "addons/other.yaml", "a: b", "ca.crt", "no PEM")));

        assertThat(refusal.problems())
                .extracting(Problem::describe)
                .anyMatch(line -> line.contains("v9.9.9"))
                .anyMatch(line -> line.contains("broken.yaml:1") && line.contains("not YAML"))
                .anyMatch(line -> line.contains("other.yaml:1") && line.contains("apiVersion and kind"))
                .anyMatch(line -> line.contains("spec.pki.caPrivateKeyFile") && line.contains("no such file"));
        assertThat(assets).doesNotExist();
    }

    @Test
    void refusesToChangeTheCipherUnderARunningCluster() {
        render(CONFIG);

        assertThatThrownBy(() -> render(CONFIG + "  encryption: {provider: aescbc}\n"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("as a reader first");
        assertThatThrownBy(() -> render(CONFIG + "  encryption: {enabled: false}\n"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("could not be read");
    }

    @Test
    void namesAddOnsThatCannotBeTakenOver() throws IOException {
        assertRefused(CONFIG + "  addOns: nowhere\n", ErrorCode.NOT_FOUND, "holds no manifest", "make the directory");
        Files.createDirectories(temporary.resolve("latin"));
        Files.write(temporary.resolve("latin/a.yaml"), new byte[] {'a', ':', ' ', (byte) 0xe4});
        assertRefused(CONFIG + "  addOns: latin\n", ErrorCode.INVALID_CONFIG, "is not UTF-8", "iconv -f LATIN1");
    }

    @Test
    void neverGuessesWhatAFileOfItsOwnHeld() throws IOException {
        render(CONFIG);
        Path kubelet = assets.resolve(AssetLayout.KUBELET_KUBECONFIG);
        String before = Files.readString(kubelet);
        Files.writeString(kubelet, before.replaceAll("token: .*", "token: none"));
        assertRefused(CONFIG, ErrorCode.EDITED_FILE, "holds no bootstrap token", "move the file away");
        Files.writeString(kubelet, before);

        Path ledger = assets.resolve(AssetLayout.LEDGER);
        Files.writeString(ledger, "{");
        assertRefused(CONFIG, ErrorCode.INVALID_ASSET_DIRECTORY, "cannot be read", "--overwrite-edited");
    }

    private void assertRefused(String config, ErrorCode code, String what, String next) {
        Refusal.of(() -> render(config), code).lineContains(what).nextContains(next);
    }

    @Test
    void whatHasTheWrongShapeIsNotMissingToo() {
        assertThatThrownBy(() -> render(CONFIG.replaceFirst("endpoints: .*", "endpoints: https://10.77.0.2:6443")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("spec.apiServer.endpoints")
                .hasMessageNotContaining("is missing");
    }

    @Test
    void namesAMissingDocument() {
        assertThatThrownBy(() -> renderer().render(RenderRequest.ofFile(temporary.resolve("none.yaml"), assets)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("none.yaml");
    }

    @Test
    void rendersAVersionThatIsNewerThanWhatItKnowsAndSaysSo() {
        assertThat(render(CONFIG.replace("v1.20.2", "v1.36.3")).advice()).noneMatch(line -> line.contains("newer"));
        assertThat(render(CONFIG.replace("v1.20.2", "v1.99.0")).advice())
                .anyMatch(line -> line.contains("1.99 is newer"));
    }

    private RenderReport render(String config) {
        return render(config, Map.of());
    }

    private RenderReport render(String config, Map<String, String> files) {
        write(config, files);
        return renderer().render(RenderRequest.ofFile(temporary.resolve("cluster.yaml"), assets));
    }

    private void write(String config, Map<String, String> files) {
        Map<String, String> all = new TreeMap<>(files);
        all.put("cluster.yaml", config);
        Disk disk = new LocalDisk();
        all.forEach((name, text) -> {
            Path file = temporary.resolve(name);
            disk.createDirectories(file.resolveSibling("."), Disk.OWNER_ONLY_DIRECTORY);
            disk.write(file, text.getBytes(java.nio.charset.StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        });
    }

    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(assets)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(assets.relativize(file).toString(), Files.readString(file));
            }
        }
        return contents;
    }

    private static Renderer renderer() {
        return renderer(new LocalDisk());
    }

    private static Renderer renderer(Disk disk) {
        return new Renderer(disk, CLOCK, new SecureRandom());
    }
}
