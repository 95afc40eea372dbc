package dev.ouroboros.runtime.image;

import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.runtime.grpc.GrpcCall;
import dev.ouroboros.runtime.grpc.GrpcConnection;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A connection to containerd's own API, in the namespace of the kubelet's images. */
final class ContainerdSession implements Closeable {
    private static final String IMAGES = "/containerd.services.images.v1.Images/";
    private static final String CONTENT = "/containerd.services.content.v1.Content/";
    private static final String SNAPSHOTS = "/containerd.services.snapshots.v1.Snapshots/";
    private static final String DIFF = "/containerd.services.diff.v1.Diff/";
    private static final String RUNTIME_STATUS = "/runtime.v1.RuntimeService/Status";
    private static final String OLD_RUNTIME_STATUS = "/runtime.v1alpha2.RuntimeService/Status";
    private static final String DEFAULT_SNAPSHOTTER = "overlayfs";
    /** A layer of a few hundred megabytes on a slow disk. */
    private static final Duration APPLY_LIMIT = Duration.ofMinutes(5);

    private static final String LEASES = "/containerd.services.leases.v1.Leases/";

    private final GrpcConnection connection;
    private final Duration limit;
    private final Map<String, String> metadata = new HashMap<>(Map.of("containerd-namespace", "k8s.io"));

    private ContainerdSession(GrpcConnection connection, Duration limit) {
        this.connection = connection;
        this.limit = limit;
    }

    /** @param limit for each step: a call, or a piece of a blob */
    static ContainerdSession open(Path socket, Duration limit) throws IOException {
        return new ContainerdSession(GrpcConnection.open(socket, limit), limit);
    }

    /** What a name points to. */
    Optional<Descriptor> findImage(String name) throws IOException {
        MessageReader response;
        try {
            response = call(IMAGES + "Get", new MessageWriter().text(1, name));
        } catch (GrpcException e) {
            return emptyIf(GrpcStatus.NOT_FOUND, e);
        }
        while (response.next()) {
            if (response.field() == 1) {
                return Optional.of(target(response.message()));
            }
        }
        return Optional.empty();
    }

    private static Descriptor target(MessageReader image) throws IOException {
        String mediaType = "";
        String digest = "";
        long size = 0;
        while (image.next()) {
            if (image.field() == 3) {
                MessageReader descriptor = image.message();
                while (descriptor.next()) {
                    switch (descriptor.field()) {
                        case 1 -> mediaType = descriptor.text();
                        case 2 -> digest = descriptor.text();
                        case 3 -> size = descriptor.number();
                        default -> {}
                    }
                }
            }
        }
        return Descriptor.of(mediaType, digest, size);
    }

    /** Gives a name to an image whose blobs are there. */
    void createImage(String name, Descriptor target, Map<String, String> labels) throws IOException {
        MessageWriter image = new MessageWriter().text(1, name).map(2, labels).message(3, message(target));
        call(IMAGES + "Create", new MessageWriter().message(1, image));
    }

    private static MessageWriter message(Descriptor descriptor) {
        return new MessageWriter()
                .text(1, descriptor.mediaType())
                .text(2, descriptor.digest())
                .number(3, descriptor.size());
    }

    /**
     * Where containers of the kubelet have their files: by the runtime's configuration, which containerd's CRI plugin tells, but
     * from 2.0 on without this part; then the default.
     */
    String snapshotter() throws IOException {
        MessageWriter verbose = new MessageWriter().number(1, 1);
        MessageReader response;
        try {
            response = call(RUNTIME_STATUS, verbose);
        } catch (GrpcException e) {
            emptyIf(GrpcStatus.UNIMPLEMENTED, e);
            response = call(OLD_RUNTIME_STATUS, verbose);
        }
        Map<String, String> information = new HashMap<>();
        while (response.next()) {
            if (response.field() == 2) {
                response.entryInto(information);
            }
        }
        String configuration = information.getOrDefault("config", "{}");
        return JsonText.read(configuration)
                .at("containerd", "snapshotter")
                .text()
                .filter(name -> !name.isEmpty())
                .orElse(DEFAULT_SNAPSHOTTER);
    }

    boolean hasSnapshot(String snapshotter, String name) throws IOException {
        try {
            call(SNAPSHOTS + "Stat", new MessageWriter().text(1, snapshotter).text(2, name));
            return true;
        } catch (GrpcException e) {
            return emptyIf(GrpcStatus.NOT_FOUND, e).isPresent();
        }
    }

    void removeSnapshot(String snapshotter, String name) throws IOException {
        try {
            call(SNAPSHOTS + "Remove", new MessageWriter().text(1, snapshotter).text(2, name));
        } catch (GrpcException e) {
            emptyIf(GrpcStatus.NOT_FOUND, e);
        }
    }

    /** Makes a snapshot that can be written; how to mount it, in containerd's own words. */
    List<byte[]> prepareSnapshot(String snapshotter, String name, String parent) throws IOException {
        MessageReader response = call(
                SNAPSHOTS + "Prepare",
                new MessageWriter().text(1, snapshotter).text(2, name).text(3, parent));
        List<byte[]> mounts = new ArrayList<>();
        while (response.next()) {
            if (response.field() == 1) {
                ByteBuffer mount = response.bytes();
                byte[] copy = new byte[mount.remaining()];
                mount.get(copy);
                mounts.add(copy);
            }
        }
        return mounts;
    }

    /** Gives a finished snapshot the name that it is found by. */
    void commitSnapshot(String snapshotter, String unfinished, String name) throws IOException {
        call(
                SNAPSHOTS + "Commit",
                new MessageWriter().text(1, snapshotter).text(2, name).text(3, unfinished));
    }

    /** Unpacks a layer. */
    void apply(Descriptor layer, List<byte[]> mounts) throws IOException {
        MessageWriter request = new MessageWriter().message(1, message(layer));
        mounts.forEach(mount -> request.bytes(2, mount));
        connection.within(APPLY_LIMIT);
        connection.call(DIFF + "Apply", request.toBytes(), metadata);
    }

    /**
     * Sets labels of an image and leaves its others; an empty value removes one.
     *
     * @param target is not changed by this, but without one containerd 2.1 ends with a nil pointer (imageFromProto in
     *     plugins/services/images/helpers.go)
     */
    void labelImage(String name, Descriptor target, Map<String, String> labels) throws IOException {
        MessageWriter image = new MessageWriter().text(1, name).map(2, labels).message(3, message(target));
        call(IMAGES + "Update", new MessageWriter().message(1, image).message(2, mask(labels)));
    }

    boolean hasContent(Descriptor blob) throws IOException {
        try {
            call(CONTENT + "Info", new MessageWriter().text(1, blob.digest()));
            return true;
        } catch (GrpcException e) {
            return emptyIf(GrpcStatus.NOT_FOUND, e).isPresent();
        }
    }

    /** A call whose messages carry a blob's bytes in field 2. */
    GrpcCall readContent(Descriptor blob) throws IOException {
        renew();
        GrpcCall call = connection.start(CONTENT + "Read", metadata);
        call.sendLast(new MessageWriter().text(1, blob.digest()).toBytes());
        return call;
    }

    /** A call that writes one blob. */
    GrpcCall writeContent() throws IOException {
        renew();
        return connection.start(CONTENT + "Write", metadata);
    }

    /** Forgets what an earlier attempt has written of a blob. */
    void abortWrite(String reference) throws IOException {
        try {
            call(CONTENT + "Abort", new MessageWriter().text(1, reference));
        } catch (GrpcException e) {
            emptyIf(GrpcStatus.NOT_FOUND, e);
        }
    }

    /** Sets labels of a blob and leaves its others. */
    void labelContent(Descriptor blob, Map<String, String> labels) throws IOException {
        MessageWriter info = new MessageWriter().text(1, blob.digest()).map(5, labels);
        call(CONTENT + "Update", new MessageWriter().message(1, info).message(2, mask(labels)));
    }

    /** Until the lease is released, or this time, what this session writes is not collected. */
    void lease(String id, Instant until) throws IOException {
        releaseLease(id);
        Map<String, String> labels = Map.of("containerd.io/gc.expire", until.toString());
        call(LEASES + "Create", new MessageWriter().text(1, id).map(3, labels));
        metadata.put("containerd-lease", id);
    }

    void releaseLease(String id) throws IOException {
        metadata.remove("containerd-lease");
        try {
            call(LEASES + "Delete", new MessageWriter().text(1, id));
        } catch (GrpcException e) {
            emptyIf(GrpcStatus.NOT_FOUND, e);
        }
    }

    /** The next step may take its time again. */
    void renew() {
        connection.within(limit);
    }

    private MessageReader call(String method, MessageWriter request) throws IOException {
        renew();
        return new MessageReader(connection.call(method, request.toBytes(), metadata));
    }

    private static MessageWriter mask(Map<String, String> labels) {
        MessageWriter mask = new MessageWriter();
        List<String> paths =
                labels.keySet().stream().sorted().map(key -> "labels." + key).toList();
        paths.forEach(path -> mask.text(1, path));
        return mask;
    }

    private static <T> Optional<T> emptyIf(GrpcStatus expected, GrpcException e) throws GrpcException {
        if (e.status() != expected) {
            throw e;
        }
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
