package dev.ouroboros.runtime.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.runtime.image.ImageDocuments.Reference;
import dev.ouroboros.runtime.image.ImageLayout.Named;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ImageLayoutTest {
    private static final Descriptor MANIFEST = new Descriptor("m", "sha256:" + "a".repeat(64), 0);
    private static final Descriptor LAYER = new Descriptor("l", "sha256:" + "b".repeat(64), 1_000);
    private static final Named NAMED = new Named("example.org/a:1", MANIFEST);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void readsWhatItWrites() throws IOException {
        List<String> seen = new ArrayList<>();
        try (InputStream archive = new ByteArrayInputStream(archive())) {
            assertThat(ImageLayout.readIndex(archive)).isEqualTo(NAMED);
            ImageLayout.readBlobs(archive, (hex, size, content) -> {
                seen.add(hex.substring(0, 1) + size);
                if (hex.equals(LAYER.hex())) {
                    assertThat(content.readAllBytes()).containsOnly(7).hasSize(1_000);
                }
            });
        }
        assertThat(seen).containsExactly("a0", "b1000");
    }

    @Test
    void isATarArchiveToOthers() throws IOException {
        Path file = directory.resolve("image.tar");
        new LocalDisk().write(file, archive(), "rw-------");
        assertThat(tar("-tvf", file.toString()).lines())
                .hasSize(4)
                .allMatch(line -> line.startsWith("-rw-r--r-- 0/0") && line.contains("1970-01-01"));
        assertThat(tar("-xOf", file.toString(), "oci-layout")).isEqualTo("{\"imageLayoutVersion\":\"1.0.0\"}");
        assertThat(tar("-xOf", file.toString(), "index.json"))
                .contains("\"io.containerd.image.name\":\"example.org/a:1\"");
    }

    /** Many beginnings of an archive, and one wrong byte in its first header, but for the space after the checksum. */
    @Test
    void refusesWhatIsCutOffOrChanged() throws IOException {
        byte[] whole = archive();
        for (int length = 0; length < whole.length - Tar.BLOCK; length += 97) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> readAll(part)).isInstanceOf(IOException.class);
        }
        for (int index = 0; index < Tar.BLOCK; index += index == 154 ? 2 : 1) {
            byte[] changed = whole.clone();
            changed[index] ^= 0x41;
            assertThatThrownBy(() -> readAll(changed)).isInstanceOf(IOException.class);
        }
        readAll(whole);
    }

    @Test
    void refusesWhatIsNotAnArchive() {
        assertThatThrownBy(() -> readAll(new byte[0])).hasMessageContaining("cut off");
        assertThatThrownBy(() -> readAll(new byte[4_096])).hasMessageContaining("not one of ours");
        assertThatThrownBy(() -> readAll("text ".repeat(200).getBytes(UTF_8)))
                .isInstanceOf(DamagedArchiveException.class);
    }

    @Test
    void readsManifestsOfBothKindsAndSkipsWhatItDoesNotKnow() throws IOException {
        byte[] manifest = """
                {"schemaVersion": 2, "subject": {"digest": "x"}, "annotations": {"a": "b"},
                 "config": {"mediaType": "c", "size": 1, "digest": "sha256:%1$s", "data": "e30=", "platform": {"os": "linux"}},
                 "layers": [{"mediaType": "l", "size": 8000000000, "digest": "sha256:%2$s", "urls": ["u"]}]}
                """.formatted("c".repeat(64), "d".repeat(64)).getBytes(UTF_8);
        assertThat(ImageDocuments.references(manifest))
                .containsExactly(
                        new Reference("config", new Descriptor("c", "sha256:" + "c".repeat(64), 1), ""),
                        new Reference("layers", new Descriptor("l", "sha256:" + "d".repeat(64), 8_000_000_000L), ""));
    }

    @Test
    void refusesDocumentsThatAreNone() {
        for (String document : List.of(
                "",
                "[]",
                "{",
                "{\"config\": 1}",
                "{\"layers\": {}}",
                "{\"layers\": [1]}",
                "{\"config\": {\"digest\": \"sha256:../../x\", \"size\": 1}}",
                "{\"config\": {\"digest\": \"sha256:" + "0".repeat(64) + "\"}}",
                "{\"config\": {\"digest\": \"sha256:" + "0".repeat(64) + "\", \"size\": -1}}")) {
            assertThatThrownBy(() -> ImageDocuments.references(document.getBytes(UTF_8)))
                    .as(document)
                    .isInstanceOf(IOException.class);
        }
    }

    private static byte[] archive() throws IOException {
        byte[] layer = new byte[1_000];
        Arrays.fill(layer, (byte) 7);
        try (InputStream archive = ImageLayout.write(
                NAMED,
                List.of(MANIFEST, LAYER),
                blob -> new ByteArrayInputStream(blob.equals(LAYER) ? layer : new byte[0]))) {
            return archive.readAllBytes();
        }
    }

    private static void readAll(byte[] bytes) throws IOException {
        try (InputStream archive = new ByteArrayInputStream(bytes)) {
            ImageLayout.readIndex(archive);
            ImageLayout.readBlobs(archive, (_, _, _) -> {});
        }
    }

    private static String tar(String... arguments) {
        List<String> command = new ArrayList<>(List.of("tar"));
        command.addAll(List.of(arguments));
        return new LocalProcesses()
                .run(Command.of(command).withEnvironment("TZ", "UTC"))
                .orThrow();
    }
}
