package dev.ouroboros.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FormerManifestsTest {
    private static final String KEY = "tls/encryption-config.yaml";

    @TempDir
    private Path directory;

    private final Disk disk = new LocalDisk();
    private final FormerManifests former = new FormerManifests(disk);
    private Path assets = Path.of("");
    private Path aside = Path.of("");

    @BeforeEach
    void render() {
        assets = directory.resolve("assets");
        aside = directory.resolve("aside");
        render(Map.of("manifests/a.yaml", "1", "bootstrap-manifests/a.yaml", "1", KEY, "old"));
        former.keep(assets, aside);
    }

    @Test
    void givesManifestsBackAndRemovesThoseThatCameLater() {
        render(Map.of("manifests/a.yaml", "2", "manifests/b.yaml", "2", "bootstrap-manifests/a.yaml", "2", KEY, "old"));
        former.giveBack(aside, assets);
        assertThat(assets.resolve("manifests/a.yaml")).hasContent("1");
        assertThat(assets.resolve("bootstrap-manifests/a.yaml")).hasContent("1");
        assertThat(assets.resolve("manifests/b.yaml")).doesNotExist();
    }

    @Test
    void neverGivesAKeyBackThatWasRotatedSince() {
        render(Map.of("manifests/a.yaml", "2", "bootstrap-manifests/a.yaml", "2", KEY, "new"));
        former.giveBack(aside, assets);
        assertThat(assets.resolve(KEY)).hasContent("new");
    }

    @Test
    void whatIsGivenBackCountsAsRendered() throws Exception {
        render(Map.of("manifests/a.yaml", "2", "bootstrap-manifests/a.yaml", "2", KEY, "new"));
        former.giveBack(aside, assets);
        Ledger ledger = Ledger.parse(Files.readString(assets.resolve(AssetLayout.LEDGER)), "ledger");
        assertThat(ledger.complete()).isTrue();
        assertThat(ledger.wrote("manifests/a.yaml", "1")).isTrue();
        assertThat(ledger.wrote(KEY, "new")).isTrue();
    }

    @Test
    void refusesToGiveBackWhatWasNeverKept() {
        assertThatThrownBy(() -> former.giveBack(directory.resolve("nothing"), assets))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(assets.resolve("manifests/a.yaml")).hasContent("1");
    }

    private void render(Map<String, String> files) {
        files.forEach(this::write);
        write(AssetLayout.LEDGER, Ledger.of(new TreeMap<>(files)).json());
    }

    private void write(String path, String text) {
        Path file = assets.resolve(path);
        disk.createDirectories(file.resolveSibling(""), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(file, text.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }
}
