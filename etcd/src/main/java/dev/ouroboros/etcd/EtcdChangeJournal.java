package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdChangePhase;
import dev.ouroboros.etcd.decide.EtcdChangeState;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.JournalFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Remembers on disk where a change of etcd stands, from which manifest it came and to which one it goes. */
final class EtcdChangeJournal {
    private final Disk disk;
    private final Path directory;
    private final JournalFile file;

    EtcdChangeJournal(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
        this.file = new JournalFile(
                disk, directory.resolve(UnfinishedChange.JOURNAL), "EtcdChangeJournal", "change of etcd");
    }

    /** The manifest of before. It stays when the change has ended. */
    Path former() {
        return directory.resolve("former.yaml");
    }

    Path target() {
        return directory.resolve("target.yaml");
    }

    /**
     * A change that is under way.
     *
     * @param manifest of etcd, where the kubelet looks for it
     * @param servers client URLs of members, to be asked while the one that is changed is away
     */
    record Entry(Path manifest, List<String> servers, EtcdChangeState state) {
        Entry {
            servers = List.copyOf(servers);
        }
    }

    Optional<Entry> read() {
        return file.read(root -> new Entry(
                Path.of(JournalFile.required(root, "manifest")),
                List.of(JournalFile.required(root, "servers").split(",")),
                new EtcdChangeState(
                        EtcdChangePhase.valueOf(JournalFile.required(root, "phase")),
                        root.at("alone").equals(Json.bool(true)),
                        Instant.parse(JournalFile.required(root, "since")),
                        Optional.empty(),
                        root.at("formerPod").text(),
                        root.at("failure").text())));
    }

    /** Manifests first: a journal without them would not know the way. */
    void begin(String formerText, String targetText, Entry entry) {
        disk.write(former(), formerText.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        disk.write(target(), targetText.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        write(entry);
    }

    /** Of the change that an entry is of. */
    Journal<EtcdChangeState> of(Entry begun) {
        return state -> write(new Entry(begun.manifest(), begun.servers(), state));
    }

    private void write(Entry entry) {
        EtcdChangeState state = entry.state();
        Json.Fields content = Json.object()
                .with("manifest", Json.text(entry.manifest().toString()))
                .with("servers", Json.text(String.join(",", entry.servers())))
                .with("alone", Json.bool(state.alone()))
                .with("phase", Json.text(state.phase().name()))
                .with("since", Json.text(state.since().toString()));
        if (state.formerPod().isPresent()) {
            content = content.with("formerPod", Json.text(state.formerPod().get()));
        }
        if (state.failure().isPresent()) {
            content = content.with("failure", Json.text(state.failure().get()));
        }
        file.write(content);
    }

    /** The change has ended. */
    void end() {
        disk.delete(target());
        file.remove();
    }
}
