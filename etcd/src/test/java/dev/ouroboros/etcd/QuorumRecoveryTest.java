package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.QuorumLoss;
import dev.ouroboros.etcd.decide.RestorePhase;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.testing.KilledAnywhere.Killed;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three real members, each of which something like a kubelet runs. What is refused when, is {@code QuorumLossTest}'s. */
@Timeout(300)
final class QuorumRecoveryTest {
    private static final Duration LIMIT = Duration.ofHours(10);
    private static final int FASTER = 300;
    private static final int KEYS = 40;

    @TempDir
    private Path directory = Path.of("");

    private List<ManifestEtcd> members = List.of();

    @BeforeEach
    void members() throws Exception {
        members = ManifestEtcd.startThree(directory);
        for (int key = 0; key < KEYS; key++) {
            left().control("put", "key" + key, "value" + key).orThrow();
        }
    }

    @AfterEach
    void end() {
        members.forEach(ManifestEtcd::close);
    }

    private ManifestEtcd left() {
        return members.getFirst();
    }

    private QuorumRecovery.Options options() {
        return new QuorumRecovery.Options(
                left().manifest(),
                directory.resolve("state"),
                Optional.of(left().restoreTool()),
                Optional.empty(),
                LIMIT);
    }

    /** What is waited for seven minutes, as ports of this machine are closed and not away, takes one and a half seconds. */
    private static InstantSource fastClock() {
        Instant begun = InstantSource.system().instant();
        return () -> begun.plus(
                Duration.between(begun, InstantSource.system().instant()).multipliedBy(FASTER));
    }

    /** Nothing watches this etcd. */
    private static final class NoServers implements NodeServers {
        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public Evidence<Boolean> startedBefore(Instant moment) {
            return Evidence.known(false);
        }

        @Override
        public void end(Instant moment) {
            throw new IllegalStateException("there are none");
        }
    }

    private Path recover(Consumer<QuorumRecovery.Loss> consent, Runnable whenSaved, Consumer<RestoreEvent> restoring)
            throws InterruptedException {
        return recover(new LocalDisk(), consent, whenSaved, restoring);
    }

    private Path recover(
            Disk disk, Consumer<QuorumRecovery.Loss> consent, Runnable whenSaved, Consumer<RestoreEvent> restoring)
            throws InterruptedException {
        ProcedureListener listener = new ProcedureListener() {
            @Override
            public void did(String what) {
                assertThat(what).startsWith("what this node's member has is saved: revision " + (KEYS + 1) + ", ");
                whenSaved.run();
            }

            @Override
            public void waits(String why, Duration since) {}
        };
        EtcdRestorer restorer =
                new EtcdRestorer(disk, new LocalProcesses(), left().kubelet(), new NoServers(), InstantSource.system());
        return new QuorumRecovery(disk, new LocalProcesses(), restorer, fastClock(), listener)
                .recover(options(), consent, restoring);
    }

    private void loseTheOthers() throws Exception {
        members.subList(1, members.size()).forEach(ManifestEtcd::close);
        // A follower takes its election timeout to see it.
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!new VotersSource(present())
                .voters()
                .is(voters -> voters.stream()
                        .noneMatch(voter -> voter.answer()
                                .filter(answer -> answer.hasLeader())
                                .isPresent()))) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(100);
        }
    }

    private EtcdMemberPod present() throws IOException {
        return EtcdMemberPod.of("etcd.yaml", Files.readString(left().manifest()));
    }

    private static void assertRefused(ThrowingCallable action, String what) {
        assertRefused(action, what, ErrorCode.CHANGE_REFUSED);
    }

    private static void killed() {
        throw new Killed();
    }

    private static Consumer<RestoreEvent> at(RestorePhase phase, Runnable deed) {
        return event -> {
            if (event instanceof RestoreEvent.Entered(RestorePhase entered, boolean _) && entered == phase) {
                deed.run();
            }
        };
    }

    private void requireAllKeys() {
        for (int key = 0; key < KEYS; key++) {
            assertThat(left().control("get", "key" + key, "--print-value-only")
                            .orThrow()
                            .strip())
                    .isEqualTo("value" + key);
        }
    }

    /** Alone, writable, with everything, and no trace of what it took but the data of before. */
    private void requireRecovered(String before) throws IOException {
        left().awaitHealth();
        requireAllKeys();
        left().control("put", "new", "written").orThrow();
        assertThat(left().control("member", "list").orThrow().strip().lines()).hasSize(1);
        assertThat(present().otherClientUrls()).isEmpty();
        assertThat(present().startsAlone()).isFalse();
        assertThat(Files.readString(options().former())).isEqualTo(before);
        try (Stream<Path> files = Files.list(options().directory())) {
            assertThat(files.toList())
                    .contains(options().former())
                    .isSubsetOf(options().former(), options().directory().resolve(SnapshotSaver.LOCK));
        }
        assertThat(options().stateDirectory().resolve("restore/journal.json")).doesNotExist();
        assertThat(options().stateDirectory().resolve(StateLayout.ETCD_MEMBERS_ADDED))
                .doesNotExist();
        try (Stream<Path> data = Files.list(left().data())) {
            assertThat(data.map(path -> path.toFile().getName()).sorted().toList())
                    .hasSize(2)
                    .contains("member")
                    .anyMatch(name -> name.startsWith("member.before-"));
        }
    }

    @Test
    void theLastMemberGoesOnWithAllThatWasWritten() throws Exception {
        String before = Files.readString(left().manifest());
        assertRefused(() -> recover(_ -> {}, () -> {}, _ -> {}), "has a leader");
        Files.createDirectories(options().stateDirectory());
        Files.createFile(options().stateDirectory().resolve(StateLayout.ETCD_MEMBERS_ADDED));
        loseTheOthers();

        List<String> givenUp = new ArrayList<>();
        assertThatThrownBy(() -> recover(
                        loss -> {
                            givenUp.addAll(loss.members().keySet());
                            assertThat(loss.own())
                                    .isInstanceOfSatisfying(
                                            QuorumLoss.Answers.class,
                                            own -> assertThat(own.revision()).isEqualTo(KEYS + 1));
                            killed();
                        },
                        () -> {},
                        _ -> {}))
                .isInstanceOf(Killed.class);
        assertThat(givenUp).containsExactly("three", "two");
        assertThat(Files.readString(left().manifest())).isEqualTo(before);

        // Asked again, as nothing of etcd was touched.
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> recover(_ -> asked.incrementAndGet(), QuorumRecoveryTest::killed, _ -> {}))
                .isInstanceOf(Killed.class);
        assertThatThrownBy(() -> recover(
                        _ -> asked.incrementAndGet(), () -> {}, at(RestorePhase.STOPPING, QuorumRecoveryTest::killed)))
                .isInstanceOf(Killed.class);
        assertRefused(
                () -> UnfinishedChange.requireNoStart(new LocalDisk(), options().stateDirectory()),
                "the recovery of the last member of etcd has begun and not ended",
                ErrorCode.LOCKED);
        assertThatThrownBy(() -> recover(
                        _ -> asked.incrementAndGet(), () -> {}, at(RestorePhase.STARTING, QuorumRecoveryTest::killed)))
                .isInstanceOf(Killed.class);
        assertThat(asked).hasValue(3);
        assertRefusedWithout(options().former(), "does not exist", ErrorCode.NOT_FOUND);
        assertRefusedWithout(
                options().snapshot(), "is not what the restore that is under way is of", ErrorCode.DAMAGED_FILE);
        recover(_ -> asked.incrementAndGet(), () -> {}, _ -> {});

        assertThat(asked).as("etcd was ended: it goes on").hasValue(3);
        requireRecovered(before);
        assertRefused(() -> recover(_ -> {}, () -> {}, _ -> {}), "has one member that votes");
    }

    private static void assertRefused(ThrowingCallable action, String what, ErrorCode code) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems()).singleElement().satisfies(problem -> {
                            assertThat(problem.code()).isEqualTo(code);
                            assertThat(problem.what()).contains(what);
                        }));
    }

    private void assertRefusedWithout(Path file, String what, ErrorCode code) throws IOException {
        Path elsewhere = directory.resolve("elsewhere");
        Files.move(file, elsewhere);
        assertRefused(() -> recover(_ -> {}, () -> {}, _ -> {}), what, code);
        Files.move(elsewhere, file);
    }

    /** Its kubelet ends an etcd without a leader; started again without the others it serves nobody. */
    @Test
    void aMemberThatWasStartedAnewWithoutTheOthersIsReadFromItsDisk() throws Exception {
        String before = Files.readString(left().manifest());
        loseTheOthers();
        left().close();
        left().startAgain();

        recover(loss -> assertThat(loss.own()).isInstanceOf(QuorumLoss.Stored.class), () -> {}, _ -> {});

        requireRecovered(before);
    }

    /** As an etcd that has started without the others: it lives, and others may reach it where this node does not. */
    @Test
    void whoTakesAConnectionAndSaysNothingIsNotLost() throws Exception {
        loseTheOthers();
        try (ServerSocket silent =
                new ServerSocket(members.get(1).clientPort(), 50, InetAddress.getLoopbackAddress())) {
            assertThat(silent.isBound()).isTrue();
            assertRefused(() -> recover(_ -> {}, () -> {}, _ -> {}), "lives, and does not answer us");
        }
    }

    /** As an etcd that is slow, or whose database is locked. */
    @Test
    void whoShakesHandsAndSaysNothingIsNotLost() throws Exception {
        loseTheOthers();
        try (ServerSocket slow = new ServerSocket(members.get(1).clientPort(), 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> shakeHands(slow));
            assertRefused(() -> recover(_ -> {}, () -> {}, _ -> {}), "lives, and does not answer us");
        }
    }

    private void shakeHands(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket plain = server.accept()) {
                SSLSocket tls = left().accepting(plain);
                tls.startHandshake();
                tls.getInputStream().readAllBytes();
            } catch (IOException e) {
                // The client has given up on this connection, or the test has ended: the next one is treated alike.
            }
        }
    }

    /** One that was cut off for as long as nobody saw it, and took writes with this one since. */
    @Test
    void whoComesBackAfterTheSaveOrBeforeTheEndOfEtcdStopsIt() throws Exception {
        String before = Files.readString(left().manifest());
        loseTheOthers();
        assertRefused(() -> recover(_ -> {}, this::aSecondOneIsBack, _ -> {}), "has a leader");
        requireAsBefore(before);

        members.get(1).close();
        loseTheOthers();
        assertRefused(() -> recover(_ -> {}, () -> {}, at(RestorePhase.STOPPING, this::aSecondOneIsBack)), "is back");
        requireAsBefore(before);

        members.get(1).close();
        loseTheOthers();
        assertRefused(() -> recover(_ -> {}, () -> {}, at(RestorePhase.SWAPPING, this::theOthersAreBack)), "is back");
        requireAsBefore(before);
    }

    /** This one is ended: without it they are a majority. */
    private void theOthersAreBack() {
        members.get(1).startAgain();
        members.get(2).startAgain();
        members.get(1).awaitHealth();
    }

    private void aSecondOneIsBack() {
        members.get(1).startAgain();
        members.get(1).awaitHealth();
    }

    private void requireAsBefore(String manifest) throws IOException {
        left().awaitHealth();
        requireAllKeys();
        assertThat(left().control("member", "list").orThrow().strip().lines()).hasSize(3);
        assertThat(Files.readString(left().manifest())).isEqualTo(manifest);
        UnfinishedChange.requireNoStart(new LocalDisk(), options().stateDirectory());
        assertThat(options().snapshot()).doesNotExist();
        try (Stream<Path> data = Files.list(left().data())) {
            assertThat(data).containsExactly(left().data().resolve("member"));
        }
    }

    private boolean isKilledBefore(int change) throws InterruptedException {
        AtomicInteger left = new AtomicInteger(change);
        Disk disk = FaultyDisk.with((name, arguments) -> {
            if (left.getAndDecrement() <= 0) {
                throw new Killed();
            }
        });
        try {
            recover(disk, _ -> {}, () -> {}, _ -> {});
            return false;
        } catch (Killed e) {
            assertThat(change).isLessThan(100);
            return true;
        }
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void goesOnAfterItWasKilledBeforeAnyChangeOfTheDisk() throws Exception {
        String before = Files.readString(left().manifest());
        Files.createDirectories(options().stateDirectory());
        Files.createFile(options().stateDirectory().resolve(StateLayout.ETCD_MEMBERS_ADDED));
        loseTheOthers();
        boolean isEnded = false;
        boolean isKilled = true;
        for (int change = 0; isKilled; change++) {
            if (!isEnded && !Files.exists(left().manifest())) {
                // What comes behind has fewer changes than what was before.
                isEnded = true;
                change = 0;
            }
            isKilled = isKilledBefore(change);
        }
        assertThat(isEnded).isTrue();
        requireRecovered(before);
    }

    @Test
    void aNodeWithoutAMemberIsSaidToHaveNone() throws Exception {
        Files.delete(left().manifest());
        assertThatThrownBy(() -> recover(_ -> {}, () -> {}, _ -> {}))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(left().manifest() + ": does not exist");
    }
}
