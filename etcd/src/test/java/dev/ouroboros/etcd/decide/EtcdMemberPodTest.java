package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.manifest.ManifestContainer;
import dev.ouroboros.render.understudy.PodYaml;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class EtcdMemberPodTest {
    private static final String TEXT = EtcdStaticPod.of("node-1", "registry.example/etcd:3.4.23", "10.77.0.2")
            .yaml();

    private static EtcdMemberPod read(String text) {
        return EtcdMemberPod.of("etcd.yaml", text);
    }

    @Test
    void whatIsWishedIsSetAndTheRestStays() {
        EtcdMemberPod etcd = read(TEXT);
        EtcdMemberPod wished =
                etcd.with(Optional.of("registry.example/etcd:3.4.30"), Map.of("quota-backend-bytes", "4000000000"));
        assertThat(wished.image()).isEqualTo("registry.example/etcd:3.4.30");
        assertThat(wished.commandLine().value("quota-backend-bytes")).hasValue("4000000000");
        assertThat(wished.commandLine().value("name")).hasValue("node-1");
        etcd.requireChangeableTo(wished);
        assertThat(etcd.isSameAs(wished)).isFalse();
        assertThat(wished.isSameAs(wished.with(Optional.empty(), Map.of("quota-backend-bytes", "4000000000"))))
                .as("it has what is wished")
                .isTrue();
        assertThat(etcd.isSameAs(etcd.with(Optional.empty(), Map.of()))).isTrue();
    }

    /** Without data the first member would be the only one of an etcd with the same ID as the one that lives. */
    @Test
    void oneOfSeveralDoesNotBeginAnEtcdOfItsOwn() {
        EtcdMemberPod first = read(TEXT);
        assertThat(first.startsAlone()).isTrue();
        assertThat(first.joining().startsAlone()).isFalse();
        EtcdMemberPod joined = read(TEXT.replace("- etcd\n", "- etcd\n    - --initial-cluster-state=existing\n"));
        assertThat(joined.startsAlone()).isFalse();
        assertThat(joined.joining().isSameAs(joined))
                .as("nothing is to be done")
                .isTrue();
        first.requireChangeableTo(first.joining());
    }

    @Test
    void aTemporaryMemberHasItsOwnNamePortsAndData() {
        Pod pod = PodYaml.parse("temporary", read(TEXT).temporary(TemporaryMember.THIRD_VOTE, false));
        assertThat(pod.getMetadata().getName()).isEqualTo("etcd-third-vote");
        Container container = pod.getSpec().getContainers().getFirst();
        CommandLine command = ManifestContainer.commandLine(container);
        assertThat(command.value("name")).hasValue("node-1-third-vote");
        assertThat(command.value("data-dir")).hasValue("/var/lib/etcd/temporary-third-vote");
        assertThat(command.value("advertise-client-urls")).hasValue("https://10.77.0.2:12379");
        assertThat(command.value("listen-client-urls")).hasValue("https://10.77.0.2:12379,https://127.0.0.1:12379");
        assertThat(command.value("listen-peer-urls")).hasValue("https://10.77.0.2:12380");
        assertThat(command.value("listen-metrics-urls")).hasValue("http://127.0.0.1:12381");
        assertThat(command.value("initial-cluster-state")).hasValue("existing");
        assertThat(command.value("initial-cluster"))
                .hasValue("node-1=https://10.77.0.2:2380,node-1-second-door=https://10.77.0.2:22380,"
                        + "node-1-third-vote=https://10.77.0.2:12380");
        assertThat(container.getLivenessProbe().getHttpGet().getPort().getIntVal())
                .isEqualTo(12381);
        assertThat(container.getStartupProbe().getHttpGet().getPort().getIntVal())
                .isEqualTo(12381);
        assertThat(command.value("cert-file")).hasValue("/etc/kubernetes/etcd/server.crt");
        assertThat(pod.getMetadata().getLabels()).isEmpty();
        assertThat(container.getResources().getRequests()).isNullOrEmpty();
    }

    @Test
    void aQuotaThatIsNoNumberIsRefusedBeforeAnythingEnds() {
        EtcdMemberPod wished = read(TEXT).with(Optional.empty(), Map.of("quota-backend-bytes", "8GB"));
        assertThat(problems(() -> read(TEXT).requireChangeableTo(wished)))
                .containsExactly("etcd.yaml: --quota-backend-bytes");
    }

    @Test
    void untilClientsMayComeTheSecondDoorIsWhereNobodyLooksForIt() {
        EtcdMemberPod etcd = read(TEXT);
        Container hidden = PodYaml.parse("temporary", etcd.temporary(TemporaryMember.SECOND_DOOR, false))
                .getSpec()
                .getContainers()
                .getFirst();
        CommandLine command = ManifestContainer.commandLine(hidden);
        assertThat(command.value("advertise-client-urls")).hasValue("https://10.77.0.2:17379");
        assertThat(command.value("listen-client-urls")).hasValue("https://10.77.0.2:17379,https://127.0.0.1:17379");
        assertThat(command.value("listen-peer-urls")).hasValue("https://10.77.0.2:22380");
        assertThat(etcd.hiddenClientUrl(TemporaryMember.SECOND_DOOR)).isEqualTo("https://10.77.0.2:17379");
    }

    @Test
    void theFirstOfThemKnowsNoOther() {
        Pod pod = PodYaml.parse("temporary", read(TEXT).temporary(TemporaryMember.SECOND_DOOR, true));
        assertThat(ManifestContainer.commandLine(pod.getSpec().getContainers().getFirst())
                        .value("initial-cluster"))
                .hasValue("node-1=https://10.77.0.2:2380,node-1-second-door=https://10.77.0.2:22380");
    }

    @Test
    void wordsStayWhereTheyWere() {
        String args = TEXT.replace("  - command:\n    - etcd\n", "  - args:\n");
        assertThat(args).isNotEqualTo(TEXT);
        Container container = PodYaml.parse("temporary", read(args).temporary(TemporaryMember.SECOND_DOOR, true))
                .getSpec()
                .getContainers()
                .getFirst();
        assertThat(container.getCommand()).isEmpty();
        assertThat(container.getArgs()).contains("--name=node-1-second-door");
    }

    @Test
    void itKnowsWhereItsMembersAre() {
        EtcdMemberPod etcd = read(TEXT);
        assertThat(etcd.clientUrl()).isEqualTo("https://10.77.0.2:2379");
        assertThat(etcd.clientUrl(TemporaryMember.SECOND_DOOR)).isEqualTo("https://10.77.0.2:22379");
        assertThat(etcd.peerUrls(TemporaryMember.SECOND_DOOR)).containsExactly("https://10.77.0.2:22380");
        assertThat(etcd.fileOnNode("cert-file")).hasValue("/etc/kubernetes/etcd/server.crt");
        assertThat(etcd.image()).isEqualTo("registry.example/etcd:3.4.23");
    }

    @Test
    void whatTheKubeletTakesForTheSameIsTheSame() {
        assertThat(read(TEXT).isSameAs(read(TEXT + "# of today\n"))).isTrue();
        assertThat(read(TEXT).isSameAs(read(TEXT.replace("3.4.23", "3.4.24")))).isFalse();
    }

    @Test
    void everythingThatMustStayIsNamedWhereItDoesNot() {
        String other = TEXT.replace("  name: etcd\n  namespace", "  name: etcd-2\n  namespace")
                .replace("data-dir=/var/lib/etcd", "data-dir=/var/lib/etcd/new")
                .replace("--name=node-1", "--name=node-9")
                .replace("10.77.0.2:2380", "10.77.0.3:2380")
                .replace("10.77.0.2:2379", "10.77.0.3:2379")
                .replace("etcd:3.4.23", "etcd:3.6.0");
        assertThat(problems(() -> read(TEXT).requireChangeableTo(read(other))))
                .containsExactly(
                        "etcd.yaml: metadata.name",
                        "etcd.yaml: --data-dir",
                        "etcd.yaml: --name",
                        "etcd.yaml: --initial-advertise-peer-urls",
                        "etcd.yaml: --listen-peer-urls",
                        "etcd.yaml: --advertise-client-urls",
                        "etcd.yaml: --listen-client-urls",
                        "etcd.yaml: volumes",
                        "etcd.yaml: image");
        read(TEXT).requireChangeableTo(read(TEXT.replace("etcd:3.4.23", "etcd:3.5.16")));
        read(TEXT).requireChangeableTo(read(TEXT.replace("etcd:3.4.23", "etcd:latest")));
        assertThat(problems(() -> read(TEXT).requireChangeableTo(read(TEXT.replace("3.4.23", "3.3.9")))))
                .containsExactly("etcd.yaml: image");
    }

    @Test
    void everythingThatKeepsItFromHavingTemporaryMembersIsNamed() {
        String other = TEXT.replace("  hostNetwork: true\n", "")
                .replace(
                        "--client-cert-auth=true",
                        "--force-new-cluster\n    - --listen-client-http-urls=https://10.77.0.2:1")
                .replace("  name: etcd\n  namespace", "  uid: a\n  name: etcd\n  namespace")
                .replace("--listen-metrics-urls=http://127.0.0.1:2381", "--listen-metrics-urls=http://127.0.0.1:50000")
                .replace("--listen-peer-urls=https://10.77.0.2:2380", "--log-level=info")
                .replace("listen-client-urls=https", "listen-client-urls=http")
                .replace("key-file=/etc/kubernetes/etcd", "key-file=/elsewhere");
        assertThat(problems(() -> read(other)))
                .containsExactly(
                        "etcd.yaml: metadata.uid",
                        "etcd.yaml: spec.hostNetwork",
                        "etcd.yaml: --force-new-cluster",
                        "etcd.yaml: --listen-client-urls",
                        "etcd.yaml: --listen-peer-urls",
                        "etcd.yaml: --listen-client-http-urls",
                        "etcd.yaml: --listen-metrics-urls",
                        "etcd.yaml: --key-file");
    }

    @Test
    void flagsThatAreNotOnTheCommandLineAreRefused() {
        String other = TEXT.replace(
                        "    image: registry",
                        "    env: [{name: ETCD_FORCE_NEW_CLUSTER, value: 'true'}, {name: ETCD_UNSUPPORTED_ARCH, value: arm64}]\n"
                                + "    envFrom: [{secretRef: {name: flags}}]\n    image: registry")
                .replace("--client-cert-auth=true", "--client-cert-auth=true\n    - --config-file=/etc/etcd.yaml");
        assertThat(problems(() -> read(other)))
                .contains("etcd.yaml: --config-file", "etcd.yaml: env: ETCD_FORCE_NEW_CLUSTER", "etcd.yaml: envFrom")
                .doesNotContain("etcd.yaml: env: ETCD_UNSUPPORTED_ARCH");
    }

    private static List<String> problems(ThrowingCallable call) {
        List<String> places = new ArrayList<>();
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> e.problems().stream().map(Problem::where).forEach(places::add));
        return places;
    }
}
