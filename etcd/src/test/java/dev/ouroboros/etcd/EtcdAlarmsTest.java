package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdAlarms.Kind;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EtcdAlarmsTest {
    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestIdentity identity;

    @BeforeEach
    void identity() throws Exception {
        identity = new TestIdentity(directory);
    }

    @Test
    void readsWhatMembersHaveRaised() throws Exception {
        try (FakeEtcd etcd = FakeEtcd.start(identity, (method, connection) -> {
            assertThat(method).isEqualTo("Alarm");
            connection.begin();
            connection.message(new MessageWriter()
                    .message(1, new MessageWriter().number(1, 7))
                    .message(
                            2,
                            new MessageWriter().number(1, 0x8e9e05c52164694dL).number(2, 1))
                    .message(2, new MessageWriter().number(1, 10).number(2, 2))
                    .message(2, new MessageWriter().number(1, 11).number(2, 9)));
            connection.end(0, "");
        })) {
            assertThat(EtcdAlarms.raised(etcd.servers(identity)))
                    .containsExactly(
                            new Alarm(Kind.NO_SPACE, "8e9e05c52164694d"),
                            new Alarm(Kind.CORRUPT, "a"),
                            new Alarm(Kind.OTHER, "b"));
        }
    }

    @Test
    void saysWhyNobodyTold() throws Exception {
        EtcdServers nobody = EtcdServers.of(List.of("https://127.0.0.1:" + SecureEtcd.freePort()), identity.client());
        assertThatThrownBy(() -> EtcdAlarms.raised(nobody))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.ETCD_UNAVAILABLE));
    }

    @Test
    void asksARealEtcd() throws Exception {
        List<Path> installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
        for (Path binaries : installed) {
            Path place = Files.createTempDirectory(directory, "etcd");
            try (SecureEtcd etcd = SecureEtcd.start(binaries, place, identity)) {
                assertThat(EtcdAlarms.raised(etcd.servers())).isEmpty();
            }
        }
    }
}
