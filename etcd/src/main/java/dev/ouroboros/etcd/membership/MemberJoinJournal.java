package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.UnfinishedChange;
import dev.ouroboros.etcd.membership.decide.MemberJoin.Phase;
import dev.ouroboros.etcd.membership.decide.MemberJoin.State;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.JournalFile;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.SigningRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.util.Optional;

/** Remembers on disk the key that a node asked with, what it was granted, and whether the way leads back. */
final class MemberJoinJournal implements Journal<State> {
    private final Disk disk;
    private final Path directory;
    private final JournalFile file;

    MemberJoinJournal(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
        this.file = new JournalFile(
                disk, directory.resolve(UnfinishedChange.JOURNAL), "MemberJoinJournal", "joining of a member of etcd");
    }

    private Path keyFile() {
        return directory.resolve("key.pem");
    }

    private Path requestFile() {
        return directory.resolve("request.pem");
    }

    private Path grantFile() {
        return directory.resolve("grant.json");
    }

    Optional<State> read() {
        return file.read(root -> new State(
                Phase.valueOf(JournalFile.required(root, "phase")),
                root.at("failure").text()));
    }

    /** Makes a key, and the request for its certificate. The journal comes last: with it they are there, and nothing of an earlier one is. */
    void begin(Issuer issuer, String name) {
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        disk.delete(grantFile());
        KeyPair keys = issuer.newKeys();
        put(keyFile(), Pem.of(keys.getPrivate()));
        put(requestFile(), SigningRequest.of(keys, name).pem());
        write(State.initial());
    }

    private void put(Path path, String text) {
        disk.write(path, text.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }

    @Override
    public void write(State state) {
        Json.Fields content =
                Json.object().with("phase", Json.text(state.phase().name()));
        file.write(
                state.failure().isPresent()
                        ? content.with("failure", Json.text(state.failure().get()))
                        : content);
    }

    SigningRequest request() {
        return disk.readText(requestFile())
                .flatMap(SigningRequest::read)
                .orElseThrow(() -> unusable(requestFile(), "is no request"));
    }

    PrivateKey key() {
        return disk.readText(keyFile()).flatMap(Pem::privateKey).orElseThrow(() -> unusable(keyFile(), "is no key"));
    }

    private ProblemException unusable(Path path, String what) {
        return ProblemException.of(
                ErrorCode.FOREIGN_FILE,
                path.toString(),
                what,
                "what 'ouro etcd join' wrote",
                "remove " + directory + ", and begin again");
    }

    /** What was granted; empty when nothing was yet. */
    Optional<MemberGrant> grant() {
        return disk.readText(grantFile()).flatMap(MemberGrant::ofKept);
    }

    void keep(MemberGrant grant) {
        if (!grant().equals(Optional.of(grant))) {
            put(grantFile(), grant.kept());
        }
    }

    /** It has ended, one way or the other: the member has keys of its own, or there are none any more. */
    void end() {
        file.remove();
        disk.delete(keyFile());
        disk.delete(requestFile());
        disk.delete(grantFile());
    }
}
