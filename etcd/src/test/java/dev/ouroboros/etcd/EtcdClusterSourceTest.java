package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.etcd.EtcdCluster.Hash;
import dev.ouroboros.etcd.EtcdClusterSource.Detail;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of real etcds where this machine has one. */
final class EtcdClusterSourceTest {
    private static final String VALUE = "a value that is nowhere else";

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestIdentity identity;

    @BeforeEach
    void identity() throws Exception {
        identity = new TestIdentity(directory);
    }

    private List<Path> directories(int count) throws IOException {
        List<Path> made = new ArrayList<>();
        for (int member = 0; member < count; member++) {
            made.add(Files.createTempDirectory(directory, "member"));
        }
        return made;
    }

    private static Path binaries() {
        List<Path> installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
        return installed.getFirst();
    }

    @Test
    void findsEveryMemberOverOneOfThem() throws Exception {
        List<SecureEtcd> members = SecureEtcd.start(binaries(), directories(3), identity);
        SecureEtcd first = members.getFirst();
        try {
            first.control("put", "key", "value");
            EtcdCluster whole = new EtcdClusterSource(first.servers()).look(Detail.HASHES, Detail.WAL_SYNCS);

            assertThat(whole.members()).extracting(EtcdMember::name).containsExactlyInAnyOrder("m0", "m1", "m2");
            assertThat(whole.answering()).hasSize(3);
            assertThat(whole.leader())
                    .hasValueSatisfying(leader -> assertThat(whole.members())
                            .extracting(EtcdMember::id)
                            .contains(leader));
            assertThat(whole.hashes().values()).hasSize(3).allMatch(hash -> hash instanceof Known<Hash>);
            assertThat(whole.comparable()).hasSize(3);
            assertThat(EtcdCluster.differ(whole.comparable())).isFalse();
            assertThat(whole.following()).hasSize(3);
            assertThat(whole.walSyncs().values()).hasSize(3).allSatisfy(syncs -> {
                assertThat(syncs.is(known -> known.count() > 0)).isTrue();
                assertThat(syncs.is(known -> known.p99().isPositive())).isTrue();
            });
            assertThat(whole.alarms()).isEqualTo(Evidence.known(List.of()));
            assertThat(whole.told().map(EtcdMemberStatus::version)).containsOnly(version(first));
            assertThat(whole.told())
                    .allMatch(status -> status.usedBytes() > 0
                            && status.databaseBytes() >= status.usedBytes()
                            && status.revision() >= 2);

            members.getLast().close();
            EtcdCluster two = new EtcdClusterSource(first.servers()).look();
            assertThat(two.members()).hasSize(3);
            assertThat(two.answering()).extracting(EtcdMember::name).containsExactlyInAnyOrder("m0", "m1");
            assertThat(two.statuses().values())
                    .filteredOn(status -> status instanceof Unknown<EtcdMemberStatus>)
                    .singleElement()
                    .satisfies(status -> assertThat(status.toString()).contains("cannot be reached"));
        } finally {
            members.forEach(SecureEtcd::close);
        }
    }

    /** As when a disk gives another byte than it took: nothing in etcd sees it. */
    @Test
    void oneByteThatIsAnotherOneInAMembersFileIsSeen() throws Exception {
        List<SecureEtcd> members = SecureEtcd.start(binaries(), directories(3), identity);
        try {
            SecureEtcd first = members.getFirst();
            first.control("put", "key", VALUE);
            Path database = members.getLast().database();
            awaitValueIn(database);
            flip(database);

            EtcdCluster seen = new EtcdClusterSource(first.servers()).look(Detail.HASHES);

            assertThat(EtcdCluster.differ(seen.comparable())).isTrue();
            assertThat(seen.comparable().get("m0")).isEqualTo(seen.comparable().get("m1"));
            assertThat(seen.alarms()).isEqualTo(Evidence.known(List.of()));
        } finally {
            members.forEach(SecureEtcd::close);
        }
    }

    /** etcd writes to it ten times a second. */
    private static void awaitValueIn(Path database) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!Files.readString(database, StandardCharsets.ISO_8859_1).contains(VALUE)) {
            assertThat(System.nanoTime()).as("the value is written").isLessThan(end);
            Thread.sleep(20);
        }
    }

    /** One bit wherever the value is. */
    private static void flip(Path database) throws IOException {
        String text = Files.readString(database, StandardCharsets.ISO_8859_1);
        try (RandomAccessFile file = new RandomAccessFile(database.toFile(), "rw")) {
            for (int at = text.indexOf(VALUE); at >= 0; at = text.indexOf(VALUE, at + 1)) {
                file.seek(at);
                file.write(VALUE.charAt(0) ^ 1);
            }
        }
    }

    private static String version(SecureEtcd etcd) throws IOException {
        return etcd.control("endpoint", "status").split(", ", -1)[2];
    }

    @Test
    void namesOneThatWasAddedAndHasNeverRun() throws Exception {
        try (SecureEtcd alone = SecureEtcd.start(binaries(), directories(1).getFirst(), identity)) {
            alone.control("member", "add", "second", "--learner", "--peer-urls=http://127.0.0.1:1");
            EtcdCluster seen = new EtcdClusterSource(alone.servers()).look();
            EtcdMember added = seen.members().stream()
                    .filter(member -> member.name().isEmpty())
                    .findFirst()
                    .orElseThrow();
            assertThat(added.isLearner()).isTrue();
            assertThat(added.title()).isEqualTo(added.id() + " (http://127.0.0.1:1)");
            assertThat(seen.statusOf(added)).isEqualTo(Evidence.unknown("it has never run"));
            assertThat(seen.voters()).hasSize(1);
        }
    }

    @Test
    void refusesMembersOfTwoClusters() throws Exception {
        Path binaries = binaries();
        try (SecureEtcd one = SecureEtcd.start(binaries, directories(1).getFirst(), identity);
                SecureEtcd other = SecureEtcd.start(binaries, directories(1).getFirst(), identity)) {
            EtcdServers both = EtcdServers.of(List.of(one.endpoint(), other.endpoint()), identity.client());
            assertThatThrownBy(() -> new EtcdClusterSource(both).look())
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problems()).singleElement().satisfies(problem -> {
                                assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_FLAG);
                                assertThat(problem.what()).startsWith("names members of several clusters");
                            }));
        }
    }

    @Test
    void saysWhyNobodyAnswers() throws Exception {
        EtcdServers nobody = EtcdServers.of(
                List.of("https://127.0.0.1:" + SecureEtcd.freePort(), "https://127.0.0.1:" + SecureEtcd.freePort()),
                identity.client());
        assertThatThrownBy(() -> new EtcdClusterSource(nobody).look())
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems())
                                .hasSize(2)
                                .allSatisfy(
                                        problem -> assertThat(problem.code()).isEqualTo(ErrorCode.ETCD_UNAVAILABLE)));
    }
}
