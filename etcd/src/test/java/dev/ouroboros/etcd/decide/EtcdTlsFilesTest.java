package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import org.junit.jupiter.api.Test;

final class EtcdTlsFilesTest {
    private static final String TEXT = EtcdStaticPod.of("node-1", "registry.example/etcd:3.4.23", "10.77.0.2")
            .yaml();

    private static EtcdTlsFiles read(String text) {
        return EtcdTlsFiles.of("etcd.yaml", text);
    }

    private static String with(String field) {
        return TEXT.replace("    image: registry", "    " + field + "\n    image: registry");
    }

    /** With all of this etcd runs well, and could have no temporary member. */
    @Test
    void whatForbidsTemporaryMembersHidesNoFile() {
        String other = TEXT.replace("  hostNetwork: true\n", "")
                .replace(
                        "--client-cert-auth=true",
                        "--wal-dir=/var/lib/etcd/wal\n    - --listen-client-http-urls=http://127.0.0.1:1")
                .replace("port: 2381", "port: metrics");
        assertThatThrownBy(() -> EtcdMemberPod.of("etcd.yaml", other)).isInstanceOf(ProblemException.class);
        assertThat(read(other)).isEqualTo(read(TEXT));
        assertThat(read(with("env: [{name: ETCD_QUOTA_BACKEND_BYTES, value: '4000000000'}]")))
                .isEqualTo(read(TEXT));
        assertThat(read(TEXT).fileOnNode("cert-file")).hasValue("/etc/kubernetes/etcd/server.crt");
        assertThat(read(TEXT).fileOnNode("peer-key-file")).hasValue("/etc/kubernetes/etcd/peer.key");
    }

    @Test
    void anEtcdWithoutTlsHasNone() {
        assertThat(read(TEXT.replaceAll(".*(cert|key)-file=.*\n", "")).byFlag()).isEmpty();
    }

    @Test
    void whatHidesThemIsNamed() {
        Refusal.of(
                () -> read(TEXT.replace("--client-cert-auth=true", "--config-file=/etc/etcd.yaml")),
                ErrorCode.UNSUPPORTED_CLUSTER,
                "etcd.yaml: --config-file",
                "its flags cannot be seen",
                "by hand, before they end");
        Refusal.of(() -> read(TEXT.replace("    - etcd\n", "    - sh\n    - -c\n")), ErrorCode.UNSUPPORTED_CLUSTER)
                .where("etcd.yaml: command");
        Refusal.of(
                        () -> read(TEXT.replace("peer-key-file=/etc/kubernetes/etcd", "peer-key-file=/elsewhere")),
                        ErrorCode.UNSUPPORTED_CLUSTER)
                .where("etcd.yaml: --peer-key-file");
        Refusal.of(
                        () -> read(with("env: [{name: ETCD_CERT_FILE, value: /server.crt}]")
                                .replace("--cert-file=", "--data=")),
                        ErrorCode.UNSUPPORTED_CLUSTER)
                .where("etcd.yaml: env: ETCD_CERT_FILE");
        Refusal.of(
                        () -> read(with("envFrom: [{secretRef: {name: flags}}]").replace("--cert-file=", "--data=")),
                        ErrorCode.UNSUPPORTED_CLUSTER)
                .where("etcd.yaml: envFrom");
    }
}
