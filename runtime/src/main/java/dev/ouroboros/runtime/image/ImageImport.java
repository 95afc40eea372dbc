package dev.ouroboros.runtime.image;

import dev.ouroboros.runtime.image.ImageDocuments.Reference;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the blobs of an archive into containerd and tells it which refer to which: its garbage collector sees references only in
 * labels. Each blob is written after those that refer to it, so its descriptor is known when it comes.
 */
final class ImageImport {
    private static final String REFERENCE = "containerd.io/gc.ref.content.";

    private final ContainerdSession session;
    private final BlobWriter writer;
    private final Map<String, Descriptor> expected = new HashMap<>();
    private final Map<Descriptor, List<Reference>> references = new LinkedHashMap<>();

    ImageImport(ContainerdSession session) {
        this.session = session;
        this.writer = new BlobWriter(session);
    }

    void run(InputStream archive) throws IOException {
        Descriptor image = ImageLayout.readIndex(archive).image();
        expected.put(image.hex(), image);
        ImageLayout.readBlobs(archive, this::write);
        for (Map.Entry<Descriptor, List<Reference>> parent : references.entrySet()) {
            session.labelContent(parent.getKey(), labels(parent.getValue()));
        }
    }

    private void write(String hex, long size, InputStream content) throws IOException {
        Descriptor blob = Optional.ofNullable(expected.get(hex))
                .filter(known -> known.size() == size)
                .orElseThrow(() -> new DamagedArchiveException("nothing refers to " + size + " bytes of " + hex));
        if (blob.isIndex() || blob.isManifest()) {
            writeDocument(blob, content);
        } else {
            writer.write(blob, content);
        }
    }

    private void writeDocument(Descriptor blob, InputStream content) throws IOException {
        if (blob.size() > ImageContent.MAX_DOCUMENT) {
            throw new DamagedArchiveException("the manifest " + blob.digest() + " has " + blob.size() + " bytes");
        }
        byte[] document = content.readAllBytes();
        // Also when containerd has it already, and reads nothing: what we conclude from it must be right.
        BlobDigest sum = new BlobDigest();
        sum.add(document, 0, document.length);
        if (!sum.isExactly(blob)) {
            throw new DamagedArchiveException("its content of " + blob.digest() + " has another digest");
        }
        writer.write(blob, new ByteArrayInputStream(document));
        List<Reference> found = ImageDocuments.references(document);
        found.forEach(reference -> expected.put(reference.descriptor().hex(), reference.descriptor()));
        references.put(blob, found);
    }

    /** The labels that containerd itself sets, by role and position. */
    private static Map<String, String> labels(List<Reference> references) {
        Map<String, String> labels = new LinkedHashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        for (Reference reference : references) {
            int index = counts.merge(reference.role(), 1, Integer::sum) - 1;
            String place = switch (reference.role()) {
                case "layers" -> "l." + index;
                case "manifests" -> "m." + index;
                default -> "config";
            };
            labels.put(REFERENCE + place, reference.descriptor().digest());
        }
        return labels;
    }
}
