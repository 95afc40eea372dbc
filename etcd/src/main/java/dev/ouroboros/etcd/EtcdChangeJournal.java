package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdChangePhase;
import dev.ouroboros.etcd.decide.EtcdChangeState;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.JournalFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Remembers on disk where a change of etcd stands, from which manifest it came and to which one it goes. */
final class EtcdChangeJournal implements Journal<EtcdChangeState> {
    private static final String FILE = "journal.json";

    private final Disk disk;
    private final Path directory;
    private final JournalFile file;

    EtcdChangeJournal(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
        this.file = new JournalFile(disk, directory.resolve(FILE), "EtcdChangeJournal", "change of etcd");
    }

    /** The manifest of before. It stays when the change has ended. */
    Path former() {
        return directory.resolve("former.yaml");
    }

    Path target() {
        return directory.resolve("target.yaml");
    }

    /** Where the change that is under way stands. */
    Optional<EtcdChangeState> read() {
        return file.read(root -> new EtcdChangeState(
                EtcdChangePhase.valueOf(JournalFile.required(root, "phase")),
                Instant.parse(JournalFile.required(root, "since")),
                root.at("formerPod").text(),
                root.at("failure").text()));
    }

    /** Manifests first: a journal without them would not know the way. */
    void begin(String formerText, String targetText, EtcdChangeState state) {
        disk.write(former(), formerText.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        disk.write(target(), targetText.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        write(state);
    }

    @Override
    public void write(EtcdChangeState state) {
        Json.Fields content = Json.object()
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

    /** @throws ProblemException LOCKED while a change of etcd has not ended */
    static void requireNone(Disk disk, Path stateDirectory, String where) {
        Path directory = stateDirectory.resolve(StateLayout.ETCD_CHANGE);
        if (disk.status(directory.resolve(FILE)).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.LOCKED,
                    where,
                    "a change of etcd has begun and not ended: it has members that a restore knows nothing of",
                    "an etcd of one member",
                    "end it first: ouro etcd change " + directory.resolve("target.yaml"));
        }
    }
}
