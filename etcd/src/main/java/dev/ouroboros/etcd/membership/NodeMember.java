package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What this node has of a member of etcd: its manifest, its containers, its data, its keys. */
final class NodeMember {
    /** etcd's own directory below its data directory, which may be a file system of its own. */
    private static final String DATA = "member";

    private final Disk disk;
    private final ContainerRuntime runtime;
    private final EtcdMemberPod pod;
    private final Path manifest;

    /** @param manifest where the kubelet looks for it */
    NodeMember(Disk disk, ContainerRuntime runtime, EtcdMemberPod pod, Path manifest) {
        this.disk = disk;
        this.runtime = runtime;
        this.pod = pod;
        this.manifest = manifest;
    }

    EtcdMemberPod pod() {
        return pod;
    }

    static Evidence<Boolean> hasManifest(Disk disk, Path manifest) {
        return Evidence.asking(() -> disk.status(manifest).isPresent());
    }

    Evidence<Boolean> runs() {
        return Evidence.asking(() -> runtime.pods().stream()
                .filter(each -> each.isStatic()
                        && each.namespace().equals(pod.etcd().namespace())
                        && each.name().startsWith(pod.etcd().podName() + "-"))
                .anyMatch(RuntimePod::mayRun));
    }

    Evidence<Boolean> hasData() {
        return Evidence.asking(() -> disk.status(data()).isPresent());
    }

    Evidence<Boolean> hasKeys() {
        return Evidence.asking(() -> keys().anyMatch(key -> disk.status(key).isPresent()));
    }

    /** Data or keys that are there, by their place. */
    Evidence<Optional<String>> left() {
        return Evidence.asking(() -> Stream.concat(Stream.of(data()), keys())
                .filter(path -> disk.status(path).isPresent())
                .map(Path::toString)
                .findFirst());
    }

    private Stream<Path> keys() {
        return Stream.of(file("key-file"), file("peer-key-file"));
    }

    private Path data() {
        return Path.of(pod.etcd().dataDirectory()).resolve(DATA);
    }

    /**
     * Writes what the member needs. The manifest comes last: with it the kubelet starts what needs the rest.
     *
     * @throws ProblemException FOREIGN_FILE when another authority is there, and nothing is written then
     */
    void install(String key, String certificate, String authority, String peerAuthority) {
        requireNoOther("trusted-ca-file", authority);
        requireNoOther("peer-trusted-ca-file", peerAuthority);
        put("trusted-ca-file", authority);
        put("peer-trusted-ca-file", peerAuthority);
        for (String prefix : List.of("", "peer-")) {
            put(prefix + "cert-file", certificate);
            put(prefix + "key-file", key);
        }
        // etcd warns of one that others may read, as the kubelet would make it.
        disk.createDirectories(Path.of(pod.etcd().dataDirectory()), Disk.OWNER_ONLY_DIRECTORY);
        write(manifest, pod.text());
    }

    private void requireNoOther(String flag, String text) {
        if (disk.readText(file(flag)).filter(there -> !there.equals(text)).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.FOREIGN_FILE,
                    file(flag).toString(),
                    "is another authority than that of the members that run",
                    "the same one, or no file",
                    "see whose it is, and move it away");
        }
    }

    private void put(String flag, String text) {
        Path file = file(flag);
        disk.createDirectories(file.toAbsolutePath().resolveSibling(""), Disk.OWNER_ONLY_DIRECTORY);
        write(file, text);
    }

    private void write(Path file, String text) {
        disk.write(file, text.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }

    private Path file(String flag) {
        return Path.of(pod.fileOnNode(flag)
                .orElseThrow(() -> new IllegalStateException(pod.file() + ": --" + flag + " names no file")));
    }

    void stop() {
        disk.delete(manifest);
    }

    /** What a member that is none any more has written. */
    void discard() {
        disk.deleteTree(data());
        removeKeys();
    }

    /**
     * Keeps the data under another name.
     *
     * @param id of the member, in hexadecimal
     * @return where they are
     */
    Path setAside(String id) {
        String name = DATA + ".removed-" + id;
        Path aside = data().resolveSibling(name);
        for (int more = 2; disk.status(aside).isPresent(); more++) {
            aside = data().resolveSibling(name + "-" + more);
        }
        disk.rename(data(), aside);
        return aside;
    }

    /** Without them nobody starts or asks a member. */
    void removeKeys() {
        keys().forEach(disk::delete);
    }
}
