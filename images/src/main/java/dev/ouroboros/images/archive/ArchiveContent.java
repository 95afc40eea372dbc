package dev.ouroboros.images.archive;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * The files of a tar archive, plain or gzip, each put down under its digest: what an archive calls a file leads nowhere else. Links,
 * with which docker names a layer a second time, are followed within the archive.
 */
final class ArchiveContent {
    static final String BLOBS = "blobs/sha256/";

    private static final String EXPECTED = "an archive of 'docker save' or of OCI, as it is or gzip";
    private static final String SAVE = "save the image again: docker save -o FILE IMAGE";
    private static final String COPY = "copy the file again, or save the image again: docker save -o FILE IMAGE";
    /** A manifest or a configuration; registries take no larger ones. */
    private static final long LARGEST_DOCUMENT = 4L << 20;

    private static final int LONGEST_CHAIN_OF_LINKS = 8;

    private final Disk disk;
    private final String file;
    private final Path work;
    private final Map<String, Blob> files = new TreeMap<>();
    private final Map<String, String> links = new TreeMap<>();

    private ArchiveContent(Disk disk, String file, Path work) {
        this.disk = disk;
        this.file = file;
        this.work = work;
    }

    /**
     * Reads an archive to its end.
     *
     * @param name how people know it
     * @param work gets {@code blobs/sha256}, the layout of OCI
     */
    static ArchiveContent unpack(Disk disk, Path archive, String name, Path work) {
        ArchiveContent content = new ArchiveContent(disk, name, work);
        disk.createDirectories(work.resolve(BLOBS), Disk.OWNER_ONLY_DIRECTORY);
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(archive), 1 << 16)) {
            content.read(raw);
        } catch (IOException e) {
            throw FileTrouble.of(name, "cannot be read", e);
        }
        return content;
    }

    private void read(InputStream raw) throws IOException {
        String at = "";
        try (TarArchiveInputStream tar = new TarArchiveInputStream(decompressed(raw))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                if (!entry.isCheckSumOK()) {
                    throw new IOException("the header of an entry has a wrong checksum");
                }
                at = normal(entry.getName());
                take(tar, entry, at);
            }
        } catch (IOException | IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            throw new ProblemException(
                    at.isEmpty()
                            ? problem(ErrorCode.UNUSABLE_IMAGE, "", "is no tar archive: " + why, EXPECTED, SAVE)
                            : problem(ErrorCode.DAMAGED_FILE, at, "is cut off or damaged: " + why, "", COPY),
                    e);
        }
        if (files.isEmpty()) {
            throw unusable("", "is empty");
        }
    }

    private static InputStream decompressed(InputStream raw) throws IOException {
        raw.mark(2);
        boolean gzip = raw.read() == 0x1f && raw.read() == 0x8b;
        raw.reset();
        return gzip ? new GZIPInputStream(raw, 1 << 16) : raw;
    }

    private void take(TarArchiveInputStream tar, TarArchiveEntry entry, String name) throws IOException {
        if (entry.isSymbolicLink()) {
            int end = name.lastIndexOf('/');
            links.put(name, normal((end < 0 ? "" : name.substring(0, end + 1)) + entry.getLinkName()));
        } else if (entry.isLink()) {
            links.put(name, normal(entry.getLinkName()));
        } else if (entry.isFile()) {
            Path incoming = work.resolve(".incoming");
            disk.delete(incoming);
            DigestInputStream content = new DigestInputStream(tar, Sha256.begin());
            disk.append(incoming, content);
            Blob blob = new Blob(Sha256.hex(content.getMessageDigest()), Files.size(incoming));
            disk.rename(incoming, path(blob));
            files.put(name, blob);
        }
    }

    /** Names are compared only; {@code ..} at the front stays, and so leads to no file of an archive. */
    private static String normal(String name) {
        return Path.of("/", name).normalize().toString().substring(1);
    }

    boolean has(String name) {
        return find(name).isPresent();
    }

    Optional<Blob> find(String name) {
        String at = normal(name);
        for (int link = 0; link < LONGEST_CHAIN_OF_LINKS && links.containsKey(at); link++) {
            at = links.getOrDefault(at, "");
        }
        return Optional.ofNullable(files.get(at));
    }

    /** The blob that a descriptor tells of, whose digest and size must be these. */
    Blob blob(Json descriptor, String of) {
        String digest = descriptor.at("digest").text().orElse("");
        if (!digest.matches("sha256:[0-9a-f]{64}")) {
            throw damaged(of, "names a blob by the digest '" + digest + "'", "sha256 and 64 hexadecimal digits");
        }
        String name = BLOBS + digest.substring("sha256:".length());
        Blob blob = find(name).orElseThrow(() -> damaged(name, "is missing, and " + of + " names it", ""));
        requireDigest(name, blob, digest);
        descriptor.at("size").integer().ifPresent(size -> {
            if (size != blob.size()) {
                throw damaged(name, "has " + blob.size() + " bytes", size + " bytes, as " + of + " says");
            }
        });
        return blob;
    }

    void requireDigest(String name, Blob blob, String digest) {
        if (!blob.digest().equals(digest)) {
            throw damaged(name, "has the digest " + blob.digest(), digest);
        }
    }

    /** The digest of a layer that is no longer compressed; empty for a compression that is neither none nor gzip. */
    Optional<String> uncompressedDigest(Blob blob, String name) {
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(path(blob)), 1 << 16)) {
            raw.mark(4);
            byte[] magic = raw.readNBytes(4);
            raw.reset();
            if (HexFormat.of().formatHex(magic).equals("28b52ffd")) {
                return Optional.empty();
            }
            return Optional.of("sha256:" + Sha256.hex(decompressed(raw)));
        } catch (IOException e) {
            throw new ProblemException(
                    problem(ErrorCode.DAMAGED_FILE, name, "cannot be decompressed: " + e.getMessage(), "", COPY), e);
        }
    }

    Json document(String name) {
        return document(find(name).orElseThrow(() -> damaged(name, "is missing", "")), name);
    }

    Json document(Blob blob, String name) {
        if (blob.size() > LARGEST_DOCUMENT) {
            throw damaged(name, "has " + blob.size() + " bytes", "a JSON document of at most 4 MiB");
        }
        try {
            return JsonText.read(disk.read(path(blob)).orElse(new byte[0]));
        } catch (MalformedJson e) {
            throw new ProblemException(
                    problem(ErrorCode.DAMAGED_FILE, name, "is no JSON: " + e.getMessage(), "", COPY), e);
        }
    }

    /** A document of ours beside those of the archive. */
    Blob add(Json document) {
        byte[] text = JsonText.write(document);
        Blob blob = new Blob(Sha256.hex(text), text.length);
        disk.write(path(blob), text, Disk.OWNER_ONLY_FILE);
        return blob;
    }

    ProblemException damaged(String entry, String what, String expected) {
        return ProblemException.of(ErrorCode.DAMAGED_FILE, where(entry), what, expected, COPY);
    }

    ProblemException unusable(String entry, String what) {
        return ProblemException.of(ErrorCode.UNUSABLE_IMAGE, where(entry), what, EXPECTED, SAVE);
    }

    ProblemException unusable(String entry, String what, String expected, String next) {
        return ProblemException.of(ErrorCode.UNUSABLE_IMAGE, where(entry), what, expected, next);
    }

    private Problem problem(ErrorCode code, String entry, String what, String expected, String next) {
        return new Problem(code, where(entry), what, expected, next);
    }

    private String where(String entry) {
        return entry.isEmpty() ? file : file + ", entry " + entry;
    }

    private Path path(Blob blob) {
        return work.resolve(BLOBS + blob.hex());
    }
}
