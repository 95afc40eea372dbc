package dev.ouroboros.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.HostPlan.Step;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a reset keeps, deletes or does not touch of the data on a host. */
final class HostDataTest extends HostOnADisk {
    @Test
    void etcdsDataGoOnlyWhenThatIsSaid() throws IOException {
        prepare();
        Path data = root().resolve("var/lib/etcd/member/snap/db");
        Files.createDirectories(data.resolveSibling("."));
        Files.writeString(data, "everything");
        Path empty = Files.createDirectories(root().resolve("etc/kubernetes/bootstrap-secrets"));
        Path sandbox = root().resolve("var/lib/ouroboros/sandboxes/other");
        Files.createDirectories(sandbox);
        Path noteOfStart = root().resolve("var/lib/ouroboros/former-pods-deleted");
        Files.writeString(noteOfStart, "of a restore");

        assertThat(reset().plan(false).kept())
                .containsExactly("/var/lib/etcd", "/var/lib/ouroboros/former-pods-deleted");
        assertThat(reset(false)).isEmpty();
        assertThat(data).exists();
        prepare();
        assertThat(reset(true)).isEmpty();

        assertThat(data).doesNotExist();
        assertThat(empty).doesNotExist();
        assertThat(noteOfStart).doesNotExist();
        assertThat(sandbox).exists();
    }

    @Test
    void whatAResetKeptANewOneDeletes() throws IOException {
        List<String> before = everything();
        prepare();
        has("var/lib/etcd/member/snap/db", "everything");
        has("var/lib/kubelet/kubeconfig", "of the kubelet");

        assertThat(reset(false)).isEmpty();
        assertThat(reset().plan(false).isNothing()).isTrue();
        Reset.Planned planned = reset().plan(true);
        assertThat(planned.isNothing()).isFalse();
        assertThat(planned.data()).containsExactly("/var/lib/etcd", "/var/lib/kubelet");
        assertThat(reset(true)).isEmpty();

        assertThat(everything()).isEqualTo(before);
    }

    /** Then there is nothing left to say of them. */
    @Test
    void whenSomebodyElseHasDeletedTheDataTheRecordOfThemGoes() throws IOException {
        List<String> before = everything();
        prepare();
        has("var/lib/kubelet/kubeconfig", "of the kubelet");
        assertThat(reset(false)).isEmpty();
        Files.delete(root().resolve("var/lib/kubelet/kubeconfig"));
        Files.delete(root().resolve("var/lib/kubelet"));

        assertThat(reset().plan(false).isNothing()).isFalse();
        assertThat(reset(false)).isEmpty();

        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void dataThatMayBeAnotherKubeletsByNowStay() throws IOException {
        prepare();
        has("var/lib/kubelet/kubeconfig", "of the kubelet");
        assertThat(reset(false)).isEmpty();
        has("usr/lib/systemd/system/kubelet.service", "[Service]\n");

        Refusal.of(() -> reset(true), ErrorCode.FOREIGN_FILE)
                .where("/usr/lib/systemd/system/kubelet.service")
                .whatStartsWith("belongs to another kubelet, whose data these may be")
                .nextContains("'kubeadm reset'", "leave the data to it");
    }

    /** What a reset kept is of that cluster: the kubelet would go on with it. */
    @Test
    void dataOfAnotherClusterAreRefused() throws Exception {
        prepare();
        try (FakeApiServer api = new FakeApiServer(new TestAuthority())) {
            has("var/lib/kubelet/kubeconfig", "");
            api.writeKubeconfig(root().resolve("var/lib/kubelet/kubeconfig"));
            Files.writeString(
                    assets().resolve(AssetLayout.CA_CERTIFICATE),
                    TestAuthority.pem(api.authority().certificate()));
        }
        assertThat(reset(false)).isEmpty();
        assertThat(plan().plan().paths(Step.WRITE)).contains(HostFiles.ETCD_MANIFEST);
        Files.writeString(
                assets().resolve(AssetLayout.CA_CERTIFICATE), TestAuthority.pem(new TestAuthority().certificate()));

        Refusal.of(this::plan, ErrorCode.CHANGE_REFUSED)
                .where(root().resolve("var/lib/kubelet/kubeconfig"))
                .whatStartsWith("this machine's kubelet is of another cluster")
                .nextContains("ouro host reset --delete-data");
    }

    /** Debian's has its data in a directory of its own below the one that ours has, too. */
    @Test
    void theDataOfSomebodyElsesEtcdStay() throws IOException {
        has("var/lib/etcd/default/member/snap/db", "somebody's");
        List<String> before = everything();
        prepare();
        for (String ours : List.of("member", "member.removed-before", "temporary-third-vote", ".ouroboros-restoring")) {
            has("var/lib/etcd/" + ours + "/snap/db", "ours");
        }

        assertThat(reset().plan(true).others()).containsExactly("/var/lib/etcd/default");
        assertThat(reset(true)).isEmpty();
        assertThat(everything()).isEqualTo(before);
    }

    /** A node that joined has no etcd of ours. */
    @Test
    void onANodeWithoutAMemberNothingIsDeletedOfEtcd() throws IOException {
        prepare();
        tree().save(tree().record().withoutFile(HostFiles.ETCD_MANIFEST));
        Files.delete(root().resolve(HostFiles.ETCD_MANIFEST.substring(1)));
        has("var/lib/etcd/default/member/snap/db", "somebody's");

        assertThat(reset().plan(true).data()).doesNotContain("/var/lib/etcd");
        assertThat(reset().plan(true).others()).containsExactly("/var/lib/etcd/default");
        assertThat(reset(true)).isEmpty();
        assertThat(root().resolve("var/lib/etcd/default/member/snap/db")).hasContent("somebody's");
    }

    /** Those that joined it are not in its record, and without it they may have lost their majority. */
    @Test
    void aMemberThatOthersJoinedLeavesFirst() throws IOException {
        prepare();
        String mark = StateLayout.path(StateLayout.ETCD_MEMBERS_ADDED);
        has(mark.substring(1), "");

        Refusal.of(() -> reset(true), ErrorCode.CHANGE_REFUSED)
                .where(mark)
                .whatStartsWith("members were added to the etcd of this node")
                .nextContains("ouro etcd leave", "remove that file");
        Files.delete(root().resolve(HostFiles.ETCD_MANIFEST.substring(1)));
        assertThat(reset(true)).isEmpty();
    }

    @Test
    void aMemberThatJoinedLeavesFirst() {
        prepare();
        tree().save(tree().record().withoutFile(HostFiles.ETCD_MANIFEST));

        Refusal.of(() -> reset(true), ErrorCode.CHANGE_REFUSED)
                .where(HostFiles.ETCD_MANIFEST)
                .whatStartsWith("is of a member of etcd that joined")
                .nextContains("ouro etcd leave", "remove that file");
    }
}
