package dev.ouroboros.runtime.image;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.ImageName;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.runtime.image.ImageLayout.Named;
import dev.ouroboros.runtime.problem.RuntimeProblems;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps images that the node must be able to run without a registry, whatever the kubelet's garbage collection thinks of them:
 * each in a file of its own, from which it comes back with the same digest.
 *
 * <p>All methods can be interrupted at any instruction and called again. They throw {@link ProblemException}:
 * UNSUPPORTED_RUNTIME when the runtime is not containerd, NOT_FOUND when it does not have the image or not all of it,
 * FOREIGN_FILE when the file is no archive of ours or damaged, DISK, and those of {@link
 * dev.ouroboros.runtime.ContainerRuntime}. Memory does not depend on the image's size. One thread at a time.
 */
public final class ImageArchive {
    /** From containerd 1.7 on, the kubelet is told not to collect an image with this label; before, it does no harm. */
    private static final String PINNED = "io.cri-containerd.pinned";

    private static final Duration LEASE = Duration.ofHours(1);
    private static final int BUFFER = 1 << 16;

    private final Path socket;
    private final Duration limit;
    private final Disk disk;
    private final InstantSource clock;
    private final RuntimeProblems problems;
    private final Runnable sync;

    /**
     * @param limit for each step: a call, or a piece of an image's content
     * @param sync returns when everything that anybody wrote to the runtime's file system before is on the disk; a {@link
     *     ProblemException} when that is not to be had
     */
    public ImageArchive(Path socket, Duration limit, Disk disk, InstantSource clock, Runnable sync) {
        this.socket = socket;
        this.limit = limit;
        this.disk = disk;
        this.clock = clock;
        this.sync = sync;
        this.problems = new RuntimeProblems(socket);
    }

    /** What {@link #restore} found and did. */
    public enum Outcome {
        /**
         * The runtime had lost the image and has it again, unpacked, whatever happens to the power; the Container Runtime Interface
         * shows it a moment later.
         */
        RESTORED,
        /** The same, but the runtime unpacks it when it is used, and a power cut soon after that may leave empty files. */
        RESTORED_PACKED,
        /** Nothing was to be done. */
        PRESENT,
        /** Its name now belongs to another image, which was left alone. */
        NAME_TAKEN
    }

    /**
     * Pins an image and writes it to a file, unless the file holds it already.
     *
     * @param reference as in a pod's specification
     * @param file in a directory that exists
     * @return digest of the image
     */
    public String save(String reference, Path file) {
        return inSession("the image " + reference, session -> {
            Named named = find(session, reference);
            session.labelImage(named.name(), named.image(), Map.of(PINNED, "pinned"));
            if (archived(file).filter(named::equals).isEmpty()) {
                export(session, named, file);
            }
            return named.image().digest();
        });
    }

    private Named find(ContainerdSession session, String reference) throws IOException {
        for (String name : ImageName.candidates(reference)) {
            Optional<Descriptor> image = session.findImage(name);
            if (image.isPresent()) {
                return new Named(name, image.get());
            }
        }
        throw ProblemException.of(
                ErrorCode.NOT_FOUND,
                reference,
                "the container runtime does not have this image",
                "",
                "pull or load it again: ctr --namespace k8s.io images pull " + reference);
    }

    private void export(ContainerdSession session, Named named, Path file) throws IOException {
        ImageContent content = new ImageContent(session);
        List<Descriptor> blobs = content.of(named.image());
        if (blobs.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    named.name(),
                    "containerd no longer has all of its content: " + String.join(", ", content.missing()),
                    "",
                    "set discard_unpacked_layers = false in containerd's configuration and pull the image again");
        }
        long size = ImageLayout.size(blobs);
        if (disk.usableBytes(file) < size) {
            throw ProblemException.of(
                    ErrorCode.DISK,
                    file.toString(),
                    "no room for the image " + named.name(),
                    size + " bytes",
                    "free some: df -h " + file.getParent());
        }
        Path partial = file.resolveSibling("." + file.getFileName() + ".partial");
        disk.delete(partial);
        try (InputStream archive = ImageLayout.write(named, blobs, blob -> new BlobInputStream(session, blob))) {
            disk.append(partial, archive);
            disk.rename(partial, file);
        } finally {
            disk.delete(partial);
        }
    }

    /** What a file holds; empty when there is none, or it is not an archive of ours and will be replaced. */
    private static Optional<Named> archived(Path file) {
        try (InputStream archive = open(file)) {
            return Optional.of(ImageLayout.readIndex(archive));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Puts the image of an archive back when the runtime has lost it. */
    public Outcome restore(Path file) {
        Named named = readIndex(file);
        return inSession("the return of the image " + named.name(), session -> {
            Optional<Descriptor> current = session.findImage(named.name());
            if (current.isPresent()
                    && !current.get().digest().equals(named.image().digest())) {
                return Outcome.NAME_TAKEN;
            }
            if (current.isPresent()
                    && !new ImageContent(session).of(named.image()).isEmpty()) {
                return Outcome.PRESENT;
            }
            return putBack(session, named, file) ? Outcome.RESTORED : Outcome.RESTORED_PACKED;
        });
    }

    private Named readIndex(Path file) {
        try (InputStream archive = open(file)) {
            return ImageLayout.readIndex(archive);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /** The image gets its name last: whoever sees it sees all of it. */
    private boolean putBack(ContainerdSession session, Named named, Path file) throws IOException {
        String lease = "ouroboros-" + named.image().hex();
        session.lease(lease, clock.instant().plus(LEASE));
        try (InputStream archive = open(file)) {
            new ImageImport(session).run(archive);
        } catch (DamagedArchiveException e) {
            throw unreadable(file, e);
        }
        boolean unpacked = unpack(session, named);
        Map<String, String> labels = Map.of(PINNED, "pinned");
        try {
            session.createImage(named.name(), named.image(), labels);
        } catch (GrpcException e) {
            if (e.status() != GrpcStatus.ALREADY_EXISTS) {
                throw e;
            }
            session.labelImage(named.name(), named.image(), labels);
        }
        session.releaseLease(lease);
        return unpacked;
    }

    /** An image that is needed now is better than none, although it is not safe from a power cut. */
    private boolean unpack(ContainerdSession session, Named named) throws IOException {
        try {
            new ImageUnpack(session, session.snapshotter(), sync).run(named.image());
            return true;
        } catch (GrpcException | ProblemException e) {
            return false;
        }
    }

    /**
     * Takes back the pin: from now on the kubelet may collect the image.
     *
     * @return false when the runtime does not have it anyway
     */
    public boolean unpin(String reference) {
        return inSession("the image " + reference, session -> {
            boolean found = false;
            for (String name : ImageName.candidates(reference)) {
                Optional<Descriptor> image = session.findImage(name);
                if (image.isPresent()) {
                    session.labelImage(name, image.get(), Map.of(PINNED, ""));
                    found = true;
                }
            }
            return found;
        });
    }

    private static InputStream open(Path file) throws IOException {
        return new BufferedInputStream(Files.newInputStream(file), BUFFER);
    }

    private <T> T inSession(String asked, Work<T> work) {
        try (ContainerdSession session = ContainerdSession.open(socket, limit)) {
            return work.perform(session);
        } catch (GrpcException e) {
            throw e.status() == GrpcStatus.UNIMPLEMENTED ? notContainerd(e) : problems.of(asked, e);
        } catch (IOException e) {
            throw problems.of(asked, e);
        }
    }

    private ProblemException notContainerd(GrpcException e) {
        return new ProblemException(
                new Problem(
                        ErrorCode.UNSUPPORTED_RUNTIME,
                        socket.toString(),
                        "images cannot be archived: the container runtime does not serve containerd's API",
                        "containerd",
                        "make sure that the node can pull the images of its control plane, or keep them from being collected"),
                e);
    }

    private static ProblemException unreadable(Path file, IOException e) {
        String detail = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return new ProblemException(
                new Problem(
                        ErrorCode.FOREIGN_FILE,
                        file.toString(),
                        "the image archive is damaged: " + detail,
                        "",
                        "remove the file; it is written again while the runtime has the image"),
                e);
    }

    /** What is done within one session. */
    private interface Work<T> {
        T perform(ContainerdSession session) throws IOException;
    }
}
