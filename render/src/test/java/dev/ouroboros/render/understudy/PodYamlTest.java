package dev.ouroboros.render.understudy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

final class PodYamlTest {
    /** A kubelet refuses a whole manifest for one number in the place of a text, and says so in its log only. */
    @Test
    void aTextThatLooksLikeSomethingElseStaysOne() {
        Pod pod = PodYaml.parse("pod.yaml", """
                kind: Pod
                metadata: {name: one, annotations: {number: "3", truth: "true", nothing: "null", octal: "0755"}}
                spec:
                  containers:
                  - name: one
                    env: [{name: NUMBER, value: "3"}, {name: FRACTION, value: "1.5"}, {name: TRUTH, value: "yes"}]
                """);
        String text = PodYaml.write(pod);

        assertThat(text)
                .contains("value: \"3\"", "value: \"1.5\"", "value: \"yes\"")
                .contains("number: \"3\"", "truth: \"true\"", "nothing: \"null\"", "octal: \"0755\"");
        assertThat(PodYaml.parse("pod.yaml", text)).isEqualTo(pod);
    }
}
