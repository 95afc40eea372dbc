package dev.ouroboros.model.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class PodTroubleTest {
    @Test
    void whatEndedSaysMoreThanHowLongTheKubeletWaits() {
        assertThat(PodTrouble.of(pod("""
                {"containerStatuses": [{"name": "a",
                  "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s restarting failed container"}},
                  "lastState": {"terminated": {"message": "no such flag\\n"}}}]}"""))).contains("CrashLoopBackOff: no such flag");
    }

    /** Seen on 1.20.2: the kubelet tells of a container that it looked for in vain. */
    @Test
    void whatTheKubeletSaysOfAContainerOfBeforeIsNotOfOneThatIsBeingMade() {
        assertThat(PodTrouble.of(pod("""
                {"containerStatuses": [{"name": "a", "state": {"waiting": {"reason": "ContainerCreating"}},
                  "lastState": {"terminated": {"message": "The container could not be located"}}}]}"""))).contains("ContainerCreating");
    }

    @Test
    void anImageThatCannotBePulledIsNamed() {
        assertThat(PodTrouble.of(pod("""
                {"containerStatuses": [{"name": "a",
                  "state": {"waiting": {"reason": "ErrImagePull", "message": "not found"}}}]}"""))).contains("ErrImagePull: not found");
    }

    @Test
    void aRejectedPodHasAMessageOfItsOwn() {
        assertThat(PodTrouble.of(pod("{\"message\": \"Pod was rejected\"}"))).contains("Pod was rejected");
    }

    @Test
    void whatRunsOrIsCompleteHasNone() {
        assertThat(PodTrouble.of(pod("""
                {"initContainerStatuses": [{"state": {"terminated": {"reason": "Completed"}}}],
                 "containerStatuses": [{"state": {"running": {}}}]}"""))).isEmpty();
    }

    private static Json pod(String status) {
        try {
            return Json.object().with("status", JsonText.read(status.getBytes(StandardCharsets.UTF_8)));
        } catch (MalformedJson e) {
            throw new IllegalArgumentException(status, e);
        }
    }
}
