package dev.ouroboros.runtime.image;

import dev.ouroboros.runtime.image.ImageDocuments.Reference;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What of an image containerd has. Of an image for several platforms that is normally the one of this machine. */
final class ImageContent {
    /** Manifests are kept in memory; OCI's own limit for them is the same. */
    static final int MAX_DOCUMENT = 4 << 20;

    private final ContainerdSession session;
    private final List<String> missing = new ArrayList<>();

    ImageContent(ContainerdSession session) {
        this.session = session;
    }

    /** All blobs of an image, each one after those that refer to it; empty when it is not complete for any platform. */
    List<Descriptor> of(Descriptor image) throws IOException {
        Map<String, Descriptor> blobs = new LinkedHashMap<>();
        return collect(image, blobs) ? List.copyOf(blobs.values()) : List.of();
    }

    /** Digests of the blobs that {@link #of} looked for in vain. */
    List<String> missing() {
        return List.copyOf(missing);
    }

    private boolean collect(Descriptor blob, Map<String, Descriptor> blobs) throws IOException {
        if (!session.hasContent(blob)) {
            missing.add(blob.digest());
            return false;
        }
        Map<String, Descriptor> found = new LinkedHashMap<>();
        found.put(blob.digest(), blob);
        boolean complete = true;
        if (blob.isIndex()) {
            complete = false;
            for (Reference platform : ImageDocuments.references(document(blob))) {
                complete |= collect(platform.descriptor(), found);
            }
        } else if (blob.isManifest()) {
            for (Reference part : ImageDocuments.references(document(blob))) {
                complete &= collect(part.descriptor(), found);
            }
        }
        if (complete) {
            found.forEach(blobs::putIfAbsent);
        }
        return complete;
    }

    private byte[] document(Descriptor blob) throws IOException {
        if (blob.size() > MAX_DOCUMENT) {
            throw new ProtocolException("the manifest " + blob.digest() + " has " + blob.size() + " bytes");
        }
        try (BlobInputStream content = new BlobInputStream(session, blob)) {
            return content.readAllBytes();
        }
    }
}
