package dev.ouroboros.upgrade.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import dev.ouroboros.upgrade.decide.Intent.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What servers and programs say, read. */
final class AskingTest {
    @TempDir
    private Path directory = Path.of("");

    /** Lines as 1.20.2 and 1.36.3 print them. */
    @Test
    void readsWhoAsksForADeprecatedApiAndHow() {
        List<DeprecatedRequest> requests = ClusterLook.requests("""
                # HELP apiserver_requested_deprecated_apis [ALPHA] Gauge of deprecated APIs that have been requested
                apiserver_requested_deprecated_apis{group="extensions",removed_release="1.22",resource="ingresses",subresource="",version="v1beta1"} 1
                apiserver_requested_deprecated_apis{group="",removed_release="",resource="componentstatuses",subresource="",version="v1"} 1
                apiserver_requested_deprecated_apis{group="batch",removed_release="1.25",resource="cronjobs",subresource="",version="v1beta1"} 0
                apiserver_request_total{code="0",component="apiserver",contentType="",dry_run="",group="extensions",resource="ingresses",scope="cluster",subresource="",verb="WATCH",version="v1beta1"} 6
                apiserver_request_total{code="200",component="apiserver",contentType="application/json",dry_run="",group="extensions",resource="ingresses",scope="cluster",subresource="",verb="LIST",version="v1beta1"} 2
                apiserver_request_total{code="200",component="apiserver",contentType="application/json",dry_run="",group="extensions",resource="ingresses",scope="namespace",subresource="",verb="DELETE",version="v1beta1"} 1
                apiserver_request_total{code="201",component="apiserver",dry_run="",group="networking.k8s.io",resource="ingresses",scope="resource",subresource="",verb="POST",version="v1"} 1
                """);

        assertThat(requests)
                .containsExactly(
                        new DeprecatedRequest(
                                "extensions",
                                "v1beta1",
                                "ingresses",
                                "1.22",
                                Set.of("LIST", "WATCH", "DELETECOLLECTION")),
                        new DeprecatedRequest("", "v1", "componentstatuses", "", Set.of()));
        assertThat(requests.getFirst().isHousekeeping()).isTrue();
        assertThat(requests.getLast().isHousekeeping()).isFalse();
    }

    @Test
    void theDeletionOfOneObjectIsNoHousekeeping() {
        List<DeprecatedRequest> requests = ClusterLook.requests("""
                apiserver_requested_deprecated_apis{group="policy",removed_release="1.25",resource="podsecuritypolicies",subresource="",version="v1beta1"} 1
                apiserver_request_total{code="200",component="apiserver",group="policy",resource="podsecuritypolicies",scope="resource",subresource="",verb="DELETE",version="v1beta1"} 1
                """);

        assertThat(requests.getFirst().verbs()).containsExactly("DELETE");
        assertThat(requests.getFirst().isHousekeeping()).isFalse();
    }

    @Test
    void asksAProgramForEachFlagAndNeverStartsIt() throws IOException {
        program("""
                [ "$1" = --help ] || { touch "$0.started"; exit 0; }
                case $2 in
                --secure-port) echo "Error: flag needs an argument: --secure-port" >&2; exit 1 ;;
                --old) echo "Error: unknown flag: --old" >&2; exit 1 ;;
                *) echo "  Options: APIListChunking=true|false (BETA - default=true)"; echo " kube:Other=true|false (ALPHA)" ;;
                esac
                """);

        assertThat(ask(List.of("old", "secure-port", "v"))).isEqualTo(Evidence.known(Set.of("old")));
        assertThat(new BinaryFlags(new LocalProcesses(), directory).ask(Component.SCHEDULER, List.of("old")))
                .isEqualTo(Evidence.known(new Program(Set.of("old"), Set.of("APIListChunking", "Other"))));
        assertThat(directory.resolve("kube-scheduler.started")).doesNotExist();
    }

    @Test
    void aProgramThatCannotRunIsUnknownAndNoProof() throws IOException {
        assertThat(ask(List.of("v"))).isInstanceOf(Evidence.Unknown.class);
        program("echo 'exec format error' >&2; exit 126\n");
        assertThat(ask(List.of("v"))).isInstanceOf(Evidence.Unknown.class);
    }

    private Evidence<Set<String>> ask(List<String> flags) {
        return new BinaryFlags(new LocalProcesses(), directory).unknown(Component.SCHEDULER, flags);
    }

    private void program(String script) throws IOException {
        Path file = directory.resolve("kube-scheduler");
        Files.writeString(file, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
