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
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
