package dev.ouroboros.runtime.image;

import dev.ouroboros.runtime.image.ImageDocuments.Reference;
import dev.ouroboros.runtime.image.Tar.Entry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * An image as a file: the OCI image layout in a tar archive, which {@code ctr images import} reads as well.
 *
 * <pre>
 * oci-layout
 * index.json             name and digest of the image
 * blobs/sha256/...       every blob after those that refer to it
 * </pre>
 */
final class ImageLayout {
    private static final String LAYOUT_FILE = "oci-layout";
    private static final byte[] LAYOUT = "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.US_ASCII);
    private static final String INDEX_FILE = "index.json";
    private static final String BLOBS = "blobs/sha256/";

    private ImageLayout() {}

    /** The image that an archive holds. */
    record Named(String name, Descriptor image) {}

    /** What is done with each blob of an archive. */
    interface Visitor {
        /** @param content must be read to its end, or left alone */
        void visit(String hex, long size, InputStream content) throws IOException;
    }

    /** The archive, made while it is read. */
    static InputStream write(Named named, List<Descriptor> blobs, Function<Descriptor, InputStream> contents)
            throws IOException {
        List<InputStream> parts = new ArrayList<>();
        byte[] index = ImageDocuments.index(named.name(), named.image());
        add(parts, new Entry(LAYOUT_FILE, LAYOUT.length), new ByteArrayInputStream(LAYOUT));
        add(parts, new Entry(INDEX_FILE, index.length), new ByteArrayInputStream(index));
        for (Descriptor blob : blobs) {
            add(parts, new Entry(BLOBS + blob.hex(), blob.size()), contents.apply(blob));
        }
        parts.add(new ByteArrayInputStream(Tar.end()));
        return new SequenceInputStream(Collections.enumeration(parts));
    }

    private static void add(List<InputStream> parts, Entry entry, InputStream content) {
        parts.add(new ByteArrayInputStream(Tar.header(entry)));
        parts.add(content);
        parts.add(new ByteArrayInputStream(Tar.padding(entry.size())));
    }

    /** At least as large as the archive of these blobs. */
    static long size(List<Descriptor> blobs) {
        return ImageContent.MAX_DOCUMENT
                + blobs.stream()
                        .mapToLong(blob -> Tar.sizeWithHeader(blob.size()))
                        .sum();
    }

    /** Reads an archive's beginning. */
    static Named readIndex(InputStream archive) throws IOException {
        byte[] layout = readSmall(archive, LAYOUT_FILE);
        if (!new String(layout, StandardCharsets.UTF_8).contains("imageLayoutVersion")) {
            throw foreign();
        }
        List<Reference> images = ImageDocuments.references(readSmall(archive, INDEX_FILE));
        if (images.size() != 1 || images.getFirst().name().isEmpty()) {
            throw foreign();
        }
        return new Named(images.getFirst().name(), images.getFirst().descriptor());
    }

    private static byte[] readSmall(InputStream archive, String name) throws IOException {
        Entry entry = Tar.read(archive).orElseThrow(ImageLayout::foreign);
        if (!entry.name().equals(name) || entry.size() > ImageContent.MAX_DOCUMENT) {
            throw foreign();
        }
        byte[] content = new BoundedInputStream(archive, entry.size()).readAllBytes();
        skipPadding(archive, entry.size());
        return content;
    }

    /** Reads what follows the index. */
    static void readBlobs(InputStream archive, Visitor visitor) throws IOException {
        for (var entry = Tar.read(archive); entry.isPresent(); entry = Tar.read(archive)) {
            String name = entry.get().name();
            if (!name.startsWith(BLOBS)) {
                throw foreign();
            }
            long size = entry.get().size();
            BoundedInputStream content = new BoundedInputStream(archive, size);
            visitor.visit(name.substring(BLOBS.length()), size, content);
            content.skipRest();
            skipPadding(archive, size);
        }
    }

    private static void skipPadding(InputStream archive, long size) throws IOException {
        new BoundedInputStream(archive, Tar.padding(size).length).skipRest();
    }

    private static DamagedArchiveException foreign() {
        return new DamagedArchiveException("it is not one of ours");
    }
}
