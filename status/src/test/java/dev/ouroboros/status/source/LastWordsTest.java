package dev.ouroboros.status.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.StatusScene;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LastWordsTest {
    private final List<String> asked = new ArrayList<>();

    private static Json pod(String reason, String message) {
        return StatusScene.json("""
            {"metadata": {"namespace": "kube-system", "name": "kube-scheduler-x"}, "status": {"containerStatuses": [
              {"name": "kube-scheduler", "state": {"waiting": {"reason": "%s", "message": "back-off 10s"}},
               "lastState": {"terminated": {"exitCode": 1, "message": "%s"}}}]}}\
            """.formatted(reason, message));
    }

    private List<Json> told(Json pod, Evidence<String> log) {
        return new LastWords(path -> {
                    asked.add(path);
                    return log;
                })
                .in(List.of(pod));
    }

    @Test
    void ofAContainerThatCrashesItsLogSaysWhy() {
        List<Json> told = told(
                pod("CrashLoopBackOff", ""),
                Evidence.known(
                        "Flag --x has been deprecated\nError: unknown flag: --nonsense\nUsage:\n  kube-scheduler\n"));
        assertThat(told).containsExactly(pod("CrashLoopBackOff", "Error: unknown flag: --nonsense"));
        assertThat(asked)
                .containsExactly("/api/v1/namespaces/kube-system/pods/kube-scheduler-x/log"
                        + "?previous=true&tailLines=500&container=kube-scheduler");
    }

    @Test
    void whatTheKubeletSaysAlreadyOrNobodyTellsIsLeftAsItIs() {
        Json says = pod("CrashLoopBackOff", "it said so");
        assertThat(told(says, Evidence.known("other"))).containsExactly(says);
        Json waits = pod("ImagePullBackOff", "");
        assertThat(told(waits, Evidence.known("other"))).containsExactly(waits);
        assertThat(asked).isEmpty();
        Json mute = pod("CrashLoopBackOff", "");
        assertThat(told(mute, Evidence.unknown("forbidden"))).containsExactly(mute);
    }
}
