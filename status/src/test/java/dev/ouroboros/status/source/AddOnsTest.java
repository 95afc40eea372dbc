package dev.ouroboros.status.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AddOnsTest {
    private static Json controller(String name, String annotations, String priorityClass) throws MalformedJson {
        return JsonText.read("""
                {"metadata": {"namespace": "elsewhere", "name": "%s"},
                 "spec": {"template": {"metadata": {"annotations": %s}, "spec": {"priorityClassName": "%s"}}}}
                """.formatted(name, annotations, priorityClass));
    }

    @Test
    void areCriticalToTheClusterOrAskForACheckpoint() throws MalformedJson {
        List<Json> all = List.of(
                controller("network", "{}", "system-node-critical"),
                controller("metrics", "{}", "system-cluster-critical"),
                controller("resolver", "{\"ouroboros.dev/checkpoint\": \"true\"}", ""),
                controller("shop", "{\"ouroboros.dev/checkpoint\": \"false\"}", "high"),
                controller("blog", "{}", ""));

        assertThat(AddOns.among(all))
                .extracting(each -> each.at("metadata", "name").text().orElse(""))
                .containsExactly("network", "metrics", "resolver");
    }
}
