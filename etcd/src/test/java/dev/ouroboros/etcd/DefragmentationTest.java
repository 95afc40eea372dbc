package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.membership.MemberDefragmenter;
import dev.ouroboros.etcd.membership.MemberDefragmenter.Defragmented;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of real etcds. */
final class DefragmentationTest {
    private static final String MEBIBYTE = "x".repeat(1 << 20);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Evidence<List<Alarm>> NONE = Evidence.known(List.of());

    @TempDir
    private Path directory = Path.of("");

    private final List<String> told = new ArrayList<>();
    private List<SecureEtcd> members = List.of();

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestIdentity identity;

    @BeforeEach
    void identity() throws Exception {
        identity = new TestIdentity(directory);
    }

    @AfterEach
    void end() {
        members.forEach(SecureEtcd::close);
    }

    private SecureEtcd start(int count, String... flags) throws IOException {
        List<Path> installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
        List<Path> directories = new ArrayList<>();
        for (int member = 0; member < count; member++) {
            directories.add(Files.createTempDirectory(directory, "member"));
        }
        members = SecureEtcd.start(installed.getFirst(), directories, identity, flags);
        return members.getFirst();
    }

    private List<Defragmented> defragment(EtcdServers servers, String... names) {
        ProcedureListener listener = new ProcedureListener() {
            @Override
            public void did(String what) {
                told.add(what);
            }

            @Override
            public void waits(String why, Duration since) {}
        };
        return new MemberDefragmenter(InstantSource.system(), listener).defragment(List.of(names), servers, LIMIT);
    }

    private static EtcdCluster look(SecureEtcd etcd) {
        return new EtcdClusterSource(etcd.servers()).look();
    }

    private static ErrorCode refused(ThrowingCallable call) {
        ProblemException refusal = catchThrowableOfType(ProblemException.class, call);
        return refusal.problems().getFirst().code();
    }

    private static void fill(SecureEtcd etcd, int mebibytes) throws IOException {
        for (int key = 0; key < mebibytes; key++) {
            etcd.controlWithInput(MEBIBYTE, "put", "key" + key);
        }
    }

    private static long revision(SecureEtcd etcd) {
        return look(etcd).told().mapToLong(EtcdMemberStatus::revision).max().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void everyFileBecomesSmallAndTheLeaderComesLast(int count) throws Exception {
        SecureEtcd first = start(count);
        fill(first, 12);
        first.control("put", "kept", "value");
        first.control("del", "--prefix", "key");
        first.control("compact", "--physical", Long.toString(revision(first)));
        String leader = look(first).leader().orElseThrow();

        List<Defragmented> done = defragment(first.servers());

        assertThat(done).hasSize(count);
        assertThat(done.getLast().member().id()).isEqualTo(leader);
        assertThat(done).allSatisfy(one -> {
            assertThat(one.bytesBefore()).isGreaterThan(12 << 20);
            assertThat(one.bytesAfter().orElseThrow()).isLessThan(2 << 20);
        });
        assertThat(look(first).leader().orElseThrow()).as("another one leads").isNotEqualTo(leader);
        assertThat(first.control("get", "kept", "--print-value-only")).contains("value");
    }

    private static void fillUp(SecureEtcd etcd) throws IOException {
        for (int key = 0; look(etcd).alarms().equals(NONE); key++) {
            assertThat(key).as("it is full in the end").isLessThan(40);
            try {
                etcd.controlWithInput(MEBIBYTE, "put", "key" + key);
            } catch (AssertionError full) {
                assertThat(full).hasMessageContaining("space exceeded");
            }
        }
    }

    /** An API server cannot compact an etcd in this state, and nothing that is deleted gives room. */
    @Test
    void anEtcdThatIsFullTakesWritesAgain() throws Exception {
        SecureEtcd first = start(3, "--quota-backend-bytes=" + (16 << 20));
        fillUp(first);
        assertThat(refused(() -> defragment(first.servers(), "m0"))).isEqualTo(ErrorCode.CHANGE_REFUSED);
        // As after one that was killed in the middle, or that found everything in use.
        assertThat(defragment(first.servers())).hasSize(3);
        fillUp(first);
        first.control("del", "--prefix", "key");
        assertThatThrownBy(() -> first.control("put", "other", "value")).hasMessageContaining("space exceeded");
        isMendedBy(defragment(first.servers()), first);

        fillUp(first);
        first.control("del", "--prefix", "key");
        first.control("compact", "--physical", Long.toString(revision(first)));
        isMendedBy(defragment(first.servers()), first);
    }

    private void isMendedBy(List<Defragmented> done, SecureEtcd first) throws IOException {
        assertThat(done)
                .hasSize(3)
                .allSatisfy(one -> assertThat(one.bytesAfter().orElseThrow()).isLessThan(2 << 20));
        assertThat(look(first).alarms()).isEqualTo(NONE);
        assertThat(told).anyMatch(line -> line.contains("NOSPACE") && line.contains("taken back"));
        first.control("put", "other", "value");
    }

    @Test
    void anOnlyMemberIsDefragmentedByName() throws Exception {
        SecureEtcd alone = start(1);
        assertThat(defragment(alone.servers(), "m0")).hasSize(1);
        assertThat(refused(() -> defragment(alone.servers(), "m7"))).isEqualTo(ErrorCode.NOT_FOUND);

        alone.control("member", "add", "second", "--learner", "--peer-urls=http://127.0.0.1:1");
        String learner = look(alone).members().stream()
                .filter(EtcdMember::isLearner)
                .findFirst()
                .orElseThrow()
                .id();
        assertThat(refused(() -> defragment(alone.servers(), learner))).isEqualTo(ErrorCode.CHANGE_REFUSED);
    }

    @Test
    void nothingIsDoneWhileOneIsMissing() throws Exception {
        SecureEtcd first = start(3);
        members.getLast().close();
        assertThat(refused(() -> defragment(first.servers()))).isEqualTo(ErrorCode.CHANGE_REFUSED);
        assertThat(told).isEmpty();
    }
}
