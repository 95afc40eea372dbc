package dev.ouroboros.runtime.image;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.runtime.image.ImageDocuments.Reference;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.List;
import java.util.Map;

/**
 * Unpacks an image whose blobs are in containerd, so that a container can be made of it, and so that a power cut takes nothing back.
 *
 * <p>containerd unpacks an image when it is pulled or first used, and does not sync the files: after a power cut it knows a snapshot
 * whose programs are empty, and believes it for ever. Here each layer is unpacked into a snapshot that nobody knows, synced, and
 * only then committed under the name that containerd looks for. What an attempt that was cut off left is under the first name, and is
 * made anew.
 *
 * <p>That name is the layer's chain ID: the digest of the layer's unpacked content, and below another layer the digest of that
 * one's chain ID, a space and its own (OCI image specification, config.md).
 */
final class ImageUnpack {
    private static final String REFERENCE = "containerd.io/gc.ref.snapshot.";

    private final ContainerdSession session;
    private final String snapshotter;
    private final Runnable sync;

    /** @param sync returns when everything that was written before is on the disk */
    ImageUnpack(ContainerdSession session, String snapshotter, Runnable sync) {
        this.session = session;
        this.snapshotter = snapshotter;
        this.sync = sync;
    }

    /** Every platform of it whose blobs are there. */
    void run(Descriptor image) throws IOException {
        if (image.isIndex()) {
            for (Reference platform : ImageDocuments.references(document(image))) {
                if (!new ImageContent(session).of(platform.descriptor()).isEmpty()) {
                    run(platform.descriptor());
                }
            }
        } else {
            unpack(image);
        }
    }

    private void unpack(Descriptor manifest) throws IOException {
        List<Reference> parts = ImageDocuments.references(document(manifest));
        Descriptor config = parts.stream()
                .filter(part -> part.role().equals("config"))
                .findFirst()
                .orElseThrow(() -> new ProtocolException("the manifest " + manifest.digest() + " names no config"))
                .descriptor();
        List<Descriptor> layers = parts.stream()
                .filter(part -> part.role().equals("layers"))
                .map(Reference::descriptor)
                .toList();
        List<String> contents = JsonText.read(document(config)).at("rootfs", "diff_ids").items().stream()
                .flatMap(digest -> digest.text().stream())
                .toList();
        if (contents.size() != layers.size()) {
            throw new ProtocolException("the config " + config.digest() + " has " + contents.size()
                    + " layers, and its manifest " + layers.size());
        }
        String chain = "";
        for (int index = 0; index < layers.size(); index++) {
            String parent = chain;
            chain = chainId(parent, contents.get(index));
            unpack(layers.get(index), parent, chain);
        }
        if (!chain.isEmpty()) {
            session.labelContent(config, Map.of(REFERENCE + snapshotter, chain));
        }
    }

    private void unpack(Descriptor layer, String parent, String chain) throws IOException {
        if (session.hasSnapshot(snapshotter, chain)) {
            return;
        }
        String unfinished = "ouroboros-" + chain;
        session.removeSnapshot(snapshotter, unfinished);
        session.apply(layer, session.prepareSnapshot(snapshotter, unfinished, parent));
        sync.run();
        session.commitSnapshot(snapshotter, unfinished, chain);
    }

    static String chainId(String parent, String content) {
        if (parent.isEmpty()) {
            return content;
        }
        return "sha256:" + Sha256.hex(parent + " " + content);
    }

    private byte[] document(Descriptor blob) throws IOException {
        if (blob.size() > ImageContent.MAX_DOCUMENT) {
            throw new ProtocolException("the document " + blob.digest() + " has " + blob.size() + " bytes");
        }
        try (BlobInputStream content = new BlobInputStream(session, blob)) {
            return content.readAllBytes();
        }
    }
}
