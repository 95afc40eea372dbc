package dev.ouroboros.images.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Archives as docker, podman and buildx write them: their entries in order, to be altered by a test before they are written. */
final class TestArchive {
    static final byte[] LAYER = "a layer, which nobody unpacks here".repeat(200).getBytes(StandardCharsets.UTF_8);

    final Map<String, byte[]> entries = new LinkedHashMap<>();

    /** Of docker before 25: a directory a layer, and the second image's layer a link to it. */
    static TestArchive ofDocker(String architecture, String tags) {
        TestArchive archive = new TestArchive();
        byte[] config = bytes(config(architecture, digest(LAYER)));
        archive.entries.put(hex(config) + ".json", config);
        archive.entries.put("0123/layer.tar", LAYER);
        archive.entries.put(
                "manifest.json",
                bytes("[{\"Config\":\"" + hex(config) + ".json\",\"RepoTags\":" + tags
                        + ",\"Layers\":[\"0123/layer.tar\"]}]"));
        return archive;
    }

    /** Of buildx, for two platforms: of the other one the archive has nothing, as docker saves what it pulled. */
    static TestArchive ofOci(String architecture, String annotations) {
        TestArchive archive = new TestArchive();
        byte[] layer = gzip(LAYER);
        byte[] config = bytes(config(architecture, digest(LAYER)));
        byte[] manifest =
                bytes("{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",\"config\":"
                        + descriptor("application/vnd.oci.image.config.v1+json", config, "") + ",\"layers\":["
                        + descriptor("application/vnd.oci.image.layer.v1.tar+gzip", layer, "") + "]}");
        byte[] index = bytes("{\"schemaVersion\":2,\"manifests\":["
                + descriptor(
                        "application/vnd.oci.image.manifest.v1+json",
                        bytes("not here"),
                        ",\"platform\":{\"os\":\"linux\",\"architecture\":\"s390x\"}")
                + ","
                + descriptor(
                        "application/vnd.oci.image.manifest.v1+json",
                        manifest,
                        ",\"platform\":{\"os\":\"linux\",\"architecture\":\"" + architecture + "\"}")
                + "]}");
        archive.entries.put("oci-layout", bytes("{\"imageLayoutVersion\":\"1.0.0\"}"));
        for (byte[] blob : new byte[][] {layer, config, manifest, index}) {
            archive.entries.put("blobs/sha256/" + hex(blob), blob);
        }
        archive.entries.put(
                "index.json",
                bytes("{\"schemaVersion\":2,\"manifests\":["
                        + descriptor(
                                "application/vnd.oci.image.index.v1+json",
                                index,
                                ",\"annotations\":{" + annotations + "}")
                        + "]}"));
        return archive;
    }

    static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return compressed.toByteArray();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String hex(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static String digest(byte[] bytes) {
        return "sha256:" + hex(bytes);
    }

    private static String config(String architecture, String layer) {
        return "{\"os\":\"linux\",\"architecture\":\"" + architecture
                + "\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"" + layer + "\"]}}";
    }

    private static String descriptor(String type, byte[] blob, String more) {
        return "{\"mediaType\":\"" + type + "\",\"digest\":\"" + digest(blob) + "\",\"size\":" + blob.length + more
                + "}";
    }

    /** The content of a name that begins with {@code ->} is where a symbolic link leads. */
    byte[] tar() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (Map.Entry<String, byte[]> each : entries.entrySet()) {
                if (each.getKey().startsWith("->")) {
                    TarArchiveEntry link = new TarArchiveEntry(each.getKey().substring(2), TarConstants.LF_SYMLINK);
                    link.setLinkName(new String(each.getValue(), StandardCharsets.UTF_8));
                    tar.putArchiveEntry(link);
                } else {
                    TarArchiveEntry entry = new TarArchiveEntry(each.getKey());
                    entry.setSize(each.getValue().length);
                    tar.putArchiveEntry(entry);
                    tar.write(each.getValue());
                }
                tar.closeArchiveEntry();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    Path at(Path file) throws IOException {
        return Files.write(file, tar());
    }
}
