package dev.ouroboros.render.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BootstrapTokenTest {
    private static final BootstrapToken OTHER = new BootstrapToken("zzzzzz", "0123456789abcdef");

    @Test
    void aKubeconfigGetsAnotherTokenAndNothingElseOfItChanges() {
        String kubeconfig = """
                current-context: kubelet@abcdef.0123456789abcdee
                users:
                - name: "kubelet"
                  user:
                    token: "abcdef.fedcba9876543210"
                """;

        assertThat(BootstrapToken.replaced(kubeconfig, OTHER))
                .isEqualTo(kubeconfig.replace("abcdef.fedcba9876543210", OTHER.value()));
        assertThat(BootstrapToken.replaced("token: abcdef.fedcba9876543210\n", OTHER))
                .isEqualTo("token: " + OTHER.value() + "\n");
    }

    @Test
    void thePauseImageIsReadFromTheConfigurationThatSaysIt() {
        ContainerdSettings settings = new ContainerdSettings("localhost/pause:1", false, true, true);

        assertThat(ContainerdSettings.pauseImage(settings.configuration())).contains("localhost/pause:1");
        assertThat(ContainerdSettings.pauseImage("version = 2\n")).isEmpty();
    }
}
