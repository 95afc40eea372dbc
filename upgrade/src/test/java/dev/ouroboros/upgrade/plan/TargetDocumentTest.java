package dev.ouroboros.upgrade.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.render.Rendered;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.config.ClusterDocument;
import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.config.Settings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class TargetDocumentTest {
    private static final String DOCUMENT = """
            apiVersion: ouroboros.dev/v1alpha1
            kind: Cluster
            metadata: {name: demo}
            spec:
              kubernetesVersion: v1.20.2
              apiServer: {endpoints: ["https://10.77.0.2:6443"]}
              etcd: {servers: ["https://10.77.0.2:2379"]}
              images: {kubeApiserver: "registry.example/kube-apiserver:v1.20.2", kubeScheduler: "registry.example/own:7"}
            """;

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @CsvSource({
        "registry.example/kube-proxy:v1.20.2, registry.example/kube-proxy:v1.21.0",
        "localhost/ouroboros/kube-proxy:1.20.2, localhost/ouroboros/kube-proxy:1.21.0",
        "registry.example:5000/kube-proxy:1.20.2, registry.example:5000/kube-proxy:1.21.0",
        "registry.example/kube-proxy:1.20.2-patched, registry.example/kube-proxy:1.20.2-patched",
        "registry.example/kube-proxy:stable, registry.example/kube-proxy:stable",
        "registry.example/kube-proxy, registry.example/kube-proxy",
    })
    void givesImagesTheNewVersionWhereTheyHadTheOld(String before, String after) {
        assertThat(TargetDocument.retagged(before, version("1.20.2"), version("1.21.0")))
                .isEqualTo(after);
    }

    @Test
    void rendersTheTargetWithTheKeysOfTheDirectoryAndWritesNothing() throws IOException {
        Path config = Files.writeString(directory.resolve("cluster.yaml"), DOCUMENT);
        Path assets = directory.resolve("assets");
        Renderer renderer = new Renderer(new LocalDisk(), InstantSource.system(), new SecureRandom());
        TargetDocument document = TargetDocument.read(new LocalDisk(), config);
        renderer.render(document.request(assets, Wanted.nothing()));
        byte[] before = Files.readAllBytes(assets.resolve(AssetLayout.API_SERVER));

        Rendered made = renderer.make(document.request(assets, Wanted.of(version("1.21.0"))));

        assertThat(made.reissued()).isEmpty();
        assertThat(made.different()).contains(AssetLayout.API_SERVER).doesNotContain(AssetLayout.CA_CERTIFICATE);
        assertThat(Files.readAllBytes(assets.resolve(AssetLayout.API_SERVER))).isEqualTo(before);
        List<Manifest> manifests = ManifestFiles.of(made.assets());
        assertThat(image(manifests, Component.API_SERVER)).isEqualTo("registry.example/kube-apiserver:v1.21.0");
        assertThat(image(manifests, Component.SCHEDULER)).isEqualTo("registry.example/own:7");
        assertThat(image(manifests, Component.PROXY)).endsWith("kube-proxy:1.21.0");
    }

    @Test
    void aNewProgramServesAsTheVersionOfBeforeUntilThatIsEnded() throws IOException {
        Path config = Files.writeString(directory.resolve("cluster.yaml"), DOCUMENT.replace("v1.20.2", "1.35.1"));
        Path assets = directory.resolve("assets");
        Renderer renderer = new Renderer(new LocalDisk(), InstantSource.system(), new SecureRandom());
        TargetDocument document = TargetDocument.read(new LocalDisk(), config);
        Wanted tried = new Wanted(Optional.of(version("1.36.3")), Optional.of("1.35"));

        Rendered made = renderer.make(document.request(assets, tried));

        assertThat(made.cluster().emulatedVersion()).contains(version("1.35"));
        List<Manifest> manifests = ManifestFiles.of(made.assets());
        for (Component component : List.of(Component.API_SERVER, Component.CONTROLLER_MANAGER, Component.SCHEDULER)) {
            assertThat(manifests)
                    .as(component.id())
                    .anyMatch(manifest -> manifest.commandLine(component)
                            .value("emulated-version")
                            .equals(Optional.of("1.35")));
        }
        String text = document.text(tried);
        assertThat(text).contains("  kubernetesVersion: 1.36.3\n  emulatedVersion: \"1.35\"\n");
        TargetDocument next =
                TargetDocument.read(new LocalDisk(), Files.writeString(directory.resolve("next.yaml"), text));
        assertThat(next.text(Wanted.of(version("1.36.4")))).contains("emulatedVersion");
        assertThat(next.text(new Wanted(Optional.empty(), Optional.of(Wanted.NONE))))
                .contains("1.36.3")
                .doesNotContain("emulatedVersion");
    }

    /** The ways in which people write the same. */
    static Stream<String> documents() {
        String plain = """
                # made for v1.20.2
                apiVersion: ouroboros.dev/v1alpha1
                kind: Cluster
                metadata: {name: demo}
                spec:
                  kubernetesVersion: v1.20.2
                  apiServer: {endpoints: ["https://10.77.0.2:6443"]}
                  etcd: {servers: ["https://10.77.0.2:2379"]}
                  images:
                    kubeApiserver: registry.example/kube-apiserver:v1.20.2
                    kubeProxy: registry.example/kube-proxy:1.20.2
                    kubeScheduler: registry.example/own:7
                  layers: 1-4 # the last line\
                """;
        return Stream.of(
                plain,
                plain.replace("\n", "\r\n"),
                plain.replaceAll("(registry\\S+)", "\"$1\" # ours, of v1.20.2")
                        .replace("v1.20.2\n  api", "'v1.20.2'\n  api"),
                plain.replace(
                        "  kubernetesVersion: v1.20.2", "  kubernetesVersion: \"1.20.2\"  # \ud83d\udc19 of 1.20.2"),
                DOCUMENT.replace("registry.example/own:7\"}", "registry.example/own:7\"} # flow"),
                DOCUMENT.substring(0, DOCUMENT.indexOf("spec:"))
                        + "spec: {kubernetesVersion: v1.20.2, apiServer: {endpoints: ['https://10.77.0.2:6443']},"
                        + " etcd: {servers: ['https://10.77.0.2:2379']}, images: {kubeProxy: 'registry.example/kube-proxy:1.20.2'}}");
    }

    @ParameterizedTest
    @MethodSource("documents")
    void theTextSaysWhatIsRenderedHoweverItIsWritten(String text) throws IOException {
        Wanted wanted = new Wanted(Optional.of(version("1.21.0")), Optional.of("1.20"));
        Settings meant =
                settings(text).with(document(text).request(directory, wanted).flags());

        String next = document(text).text(wanted);

        for (Field field : List.of(
                Field.KUBERNETES_VERSION,
                Field.EMULATED_VERSION,
                Field.IMAGE_API_SERVER,
                Field.IMAGE_SCHEDULER,
                Field.IMAGE_PROXY)) {
            assertThat(value(settings(next), field)).as(next).isEqualTo(value(meant, field));
        }
        assertThat(next.contains("of v1.20.2") || !text.contains("of v1.20.2"))
                .as("a comment is nobody's version: %s", next)
                .isTrue();
        Wanted other = new Wanted(Optional.empty(), Optional.of("1.19"));
        assertThat(value(settings(document(next).text(other)), Field.EMULATED_VERSION))
                .contains("1.19");
        Wanted back = new Wanted(Optional.of(version("1.20.2")), Optional.of(Wanted.NONE));
        assertThat(value(settings(document(next).text(back)), Field.EMULATED_VERSION)
                        .filter(older -> !older.equals("none")))
                .isEmpty();
        assertThat(value(settings(document(next).text(back)), Field.IMAGE_PROXY))
                .isEqualTo(value(settings(text), Field.IMAGE_PROXY));
    }

    @Test
    void whatCannotBeChangedWhereItStandsIsRefusedWithItsLine() throws IOException {
        String text = DOCUMENT.replace("v1.20.2\n  api", "&v\n    v1.20.2\n  api")
                .replace("\"registry.example/own:7\"", "*v");

        ProblemException refused = catchThrowableOfType(
                ProblemException.class, () -> document(text).text(Wanted.of(version("1.21.0"))));

        assertThat(refused.problems()).isNotEmpty().allSatisfy(problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_CONFIG);
            assertThat(problem.where()).contains("cluster.yaml");
        });
    }

    private TargetDocument document(String text) throws IOException {
        return TargetDocument.read(new LocalDisk(), Files.writeString(directory.resolve("cluster.yaml"), text));
    }

    private static Settings settings(String text) {
        ClusterDocument.Result read = ClusterDocument.read(text, "cluster.yaml");
        assertThat(read.problems()).as(text).isEmpty();
        return read.settings();
    }

    private static Optional<String> value(Settings settings, Field field) {
        return settings.text(field).map(found -> found.value().replaceFirst("^v", ""));
    }

    @ParameterizedTest
    @CsvSource({"1.32, from 1.33 to 1.36", "1.37, from 1.33 to 1.36", "old, from 1.33 to 1.36"})
    void refusesToServeAsWhatTheProgramCannot(String emulated, String allowed) throws IOException {
        Path config = Files.writeString(directory.resolve("cluster.yaml"), DOCUMENT.replace("v1.20.2", "1.35.1"));
        Renderer renderer = new Renderer(new LocalDisk(), InstantSource.system(), new SecureRandom());
        TargetDocument document = TargetDocument.read(new LocalDisk(), config);
        Wanted wanted = new Wanted(Optional.of(version("1.36.3")), Optional.of(emulated));

        ProblemException refused = catchThrowableOfType(
                ProblemException.class, () -> renderer.make(document.request(directory.resolve("assets"), wanted)));

        assertThat(refused.problems().getFirst().expected()).contains(allowed);
    }

    @Test
    void refusesADirectoryThatIsNoClustersBeforeAnythingIsAsked() {
        Endpoint nobody = Endpoint.of(URI.create("https://127.0.0.1:1"), List.of(), Optional.empty(), Optional.empty());
        UpgradePlanner planner = new UpgradePlanner(
                new LocalDisk(),
                new LocalProcesses(),
                new Renderer(new LocalDisk(), InstantSource.system(), new SecureRandom()),
                InstantSource.system());
        PlanRequest request = new PlanRequest(
                nobody,
                Wanted.of(version("1.21.0")),
                Optional.empty(),
                Optional.of(directory),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                false,
                true);

        ProblemException refused = catchThrowableOfType(ProblemException.class, () -> planner.plan(request));

        assertThat(refused.problems().getFirst().code()).isEqualTo(ErrorCode.INVALID_ASSET_DIRECTORY);
    }

    private static String image(List<Manifest> manifests, Component component) {
        return manifests.stream()
                .flatMap(manifest -> manifest.container(component).stream())
                .flatMap(container -> container.at("image").text().stream())
                .findFirst()
                .orElseThrow();
    }

    private static KubernetesVersion version(String text) {
        return KubernetesVersion.parse(text).orElseThrow();
    }
}
