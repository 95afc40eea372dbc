package dev.ouroboros.upgrade.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.upgrade.decide.ImagePod.Progress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ImagePodTest {
    private static final ObjectName PROXY = new ObjectName("apps", "DaemonSet", "kube-system", "kube-proxy");

    private static Json json(String text) throws MalformedJson {
        return JsonText.read(text);
    }

    private static Progress progress(String states) throws MalformedJson {
        return ImagePod.progress(json("{\"status\": {\"containerStatuses\": [" + states + "]}}"));
    }

    private static String waiting(String reason) {
        return "{\"image\": \"a:1\", \"state\": {\"waiting\": {\"reason\": \"" + reason + "\"}}}";
    }

    @Test
    void isBoundToItsNodeAndPullsWithTheWorkloadsSecrets() throws MalformedJson {
        Json live = json("{\"spec\": {\"serviceAccountName\": \"p\"}}");
        Json wanted = json(
                "{\"spec\": {\"imagePullSecrets\": [{\"name\": \"registry\"}], \"serviceAccountName\": \"new\", \"runtimeClassName\": \"new\"}}");

        Json pod = ImagePod.of(PROXY, live, wanted, "node-1", List.of("a:1", "b:2"));

        assertThat(pod.at("spec", "nodeName")).isEqualTo(Json.text("node-1"));
        assertThat(pod.at("spec", "imagePullSecrets").items()).hasSize(1);
        assertThat(pod.at("spec", "serviceAccountName")).isEqualTo(Json.text("p"));
        assertThat(pod.at("spec", "runtimeClassName").isNull())
                .as("the target's is not there yet")
                .isTrue();
        assertThat(pod.at("spec", "containers").items())
                .extracting(container -> container.at("image").text().orElse(""))
                .containsExactly("a:1", "b:2");
        assertThat(pod.at("metadata", "name").text().orElse("")).startsWith("ouroboros-images-kube-proxy-");
    }

    @Test
    void theNextRunFindsItByItsName() {
        Json one = ImagePod.of(PROXY, Json.absent(), Json.object(), "node-1", List.of("a:1"));

        assertThat(ImagePod.of(PROXY, Json.absent(), Json.object(), "node-1", List.of("a:1")))
                .isEqualTo(one);
        assertThat(ImagePod.of(PROXY, Json.absent(), Json.object(), "node-2", List.of("a:1"))
                        .at("metadata", "name"))
                .isNotEqualTo(one.at("metadata", "name"));
    }

    @ParameterizedTest
    @CsvSource({
        "RunContainerError, Done",
        "CrashLoopBackOff, Done",
        "ContainerCreating, Pulling",
        "ErrImagePull, Pulling",
        "ImagePullBackOff, Pulling",
        "InvalidImageName, Failed",
        "ErrImageNeverPull, Failed"
    })
    void knowsFromTheKubeletsReasonWhetherTheImageIsThere(String reason, String expected) throws MalformedJson {
        assertThat(progress(waiting(reason)).getClass().getSimpleName()).isEqualTo(expected);
    }

    @Test
    void isDoneWithTheLastImageOnly() throws MalformedJson {
        String started =
                "{\"image\": \"b:1\", \"state\": {\"terminated\": {\"reason\": \"StartError\", \"exitCode\": 128}}}";

        assertThat(progress(started)).isEqualTo(new Progress.Done());
        assertThat(progress(started + "," + waiting("ErrImagePull")))
                .isEqualTo(new Progress.Pulling("a:1: ErrImagePull"));
        assertThat(progress(waiting("ErrImagePull") + "," + started))
                .isEqualTo(new Progress.Pulling("a:1: ErrImagePull"));
    }

    @Test
    void aPodThatTheNodeRejectsHasFailed() throws MalformedJson {
        Json rejected = json("{\"status\": {\"phase\": \"Failed\", \"reason\": \"OutOfpods\"}}");

        assertThat(ImagePod.progress(rejected)).isEqualTo(new Progress.Failed("OutOfpods"));
        assertThat(ImagePod.progress(json("{\"status\": {\"phase\": \"Pending\"}}")))
                .isInstanceOf(Progress.Pulling.class);
    }
}
