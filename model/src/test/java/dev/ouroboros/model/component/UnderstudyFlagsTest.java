package dev.ouroboros.model.component;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.UnderstudyFlags.Purpose;
import dev.ouroboros.model.flags.CommandLine;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class UnderstudyFlagsTest {
    static List<Component> withUnderstudy() {
        return Component.WITH_UNDERSTUDY;
    }

    private static List<String> of(Component component, Purpose purpose, String... words) {
        return UnderstudyFlags.of(component, new CommandLine(List.of(words)), purpose)
                .words();
    }

    @ParameterizedTest
    @MethodSource("withUnderstudy")
    void movesEveryComponentToItsOwnPort(Component component) {
        assertThat(of(component, Purpose.STAND_IN, component.id(), "--secure-port", "1"))
                .contains("--secure-port=" + component.understudyPort())
                .doesNotContain("1", "--secure-port");
    }

    @Test
    void neverLetsAnApiServerWriteTheKubernetesService() {
        assertThat(of(Component.API_SERVER, Purpose.STAND_IN, "kube-apiserver", "--endpoint-reconciler-type=lease"))
                .containsExactly("kube-apiserver", "--secure-port=26443", "--endpoint-reconciler-type=none");
    }

    @Test
    void endsAnApiServerWithoutDelayWhereItHadOne() {
        assertThat(of(Component.API_SERVER, Purpose.PIVOT, "kube-apiserver", "--shutdown-delay-duration=5s"))
                .contains("--shutdown-delay-duration=0s");
    }

    @Test
    void letsAStandInDoAllThatThePrincipalDoes() {
        assertThat(of(Component.CONTROLLER_MANAGER, Purpose.STAND_IN, "kube-controller-manager", "--controllers=*"))
                .containsExactly(
                        "kube-controller-manager",
                        "--controllers=*",
                        "--secure-port=26257",
                        "--authentication-skip-lookup=true",
                        "--bind-address=127.0.0.1",
                        "--leader-elect-retry-period=500ms");
    }

    @Test
    void hurriesAPivot() {
        assertThat(of(Component.CONTROLLER_MANAGER, Purpose.PIVOT, "kube-controller-manager"))
                .contains("--controllers=*,-nodeipam", "--kube-api-qps=200", "--kube-api-burst=400");
        assertThat(of(Component.CONTROLLER_MANAGER, Purpose.PIVOT, "x", "--controllers=*,-nodeipam,-ttl"))
                .contains("--controllers=*,-nodeipam,-ttl");
        assertThat(of(Component.CONTROLLER_MANAGER, Purpose.PIVOT, "x", "--controllers=a,b"))
                .contains("--controllers=a,b,-nodeipam");
        assertThat(of(Component.SCHEDULER, Purpose.PIVOT, "kube-scheduler")).noneMatch(word -> word.contains("qps"));
    }

    @Test
    void closesTheOldUnauthenticatedPortWhereItIsNamed() {
        assertThat(of(Component.SCHEDULER, Purpose.STAND_IN, "kube-scheduler", "--port=10251"))
                .contains("--port=0");
        assertThat(of(Component.SCHEDULER, Purpose.STAND_IN, "kube-scheduler")).doesNotContain("--port=0");
    }
}
