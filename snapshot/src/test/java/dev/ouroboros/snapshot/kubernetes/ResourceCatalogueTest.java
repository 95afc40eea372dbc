package dev.ouroboros.snapshot.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class ResourceCatalogueTest {
    /** Objects that types.txt has, and no API server stores as a resource of its own. */
    private static final Set<String> NO_RESOURCES = Set.of(
            "Binding",
            "ComponentStatus",
            "DeploymentRollback",
            "EphemeralContainers",
            "Eviction",
            "JobTemplate",
            "PodStatusResult",
            "RangeAllocation",
            "Scale",
            "SerializedReference",
            "TokenRequest");

    private final ResourceCatalogue catalogue = new ResourceCatalogue();

    private Set<String> stored(String... names) {
        return catalogue.stored(List.of(names), "backup.db");
    }

    private void define(String group, String plural, String singular, String kind, String shortNames)
            throws MalformedJson {
        catalogue.define(JsonText.read("""
            {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"group": "%s",
             "names": {"plural": "%s", "singular": "%s", "kind": "%s", "shortNames": [%s]}}}
            """.formatted(group, plural, singular, kind, shortNames)));
    }

    private void see(String key, String apiVersion, String kind) {
        catalogue.add(StoredKey.parse(key, "/registry").orElseThrow(), Optional.of(new TypeOfValue(apiVersion, kind)));
    }

    @Test
    void knowsBuiltInResourcesAsKubectlDoes() {
        for (String name : List.of(
                "deployments",
                "deployment",
                "Deployment",
                "deploy",
                "deployments.apps",
                "deploy.apps",
                "deployments.v1.apps",
                "deployments.extensions",
                "deployments.app")) {
            assertThat(stored(name)).as(name).contains("deployments").doesNotContain("pods");
        }
        assertThat(stored("po", "cm")).contains("pods", "configmaps");
        assertThat(stored("crd")).contains("customresourcedefinitions.apiextensions.k8s.io");
        assertThat(stored("pods.v1.")).contains("pods");
        assertThat(stored("events.events.k8s.io")).contains("events");
    }

    @Test
    void knowsCustomResourcesByTheirDefinitions() throws MalformedJson {
        define("example.com", "widgets", "widget", "Widget", "\"wd\", \"wdg\"");
        for (String name : List.of("widgets", "WIDGET", "wd", "wdg", "widgets.example.com", "wd.v1beta1.example.com")) {
            assertThat(stored(name)).as(name).containsExactly("widgets.example.com");
        }
    }

    @Test
    void knowsWhatHasNoDefinitionByItsObjects() {
        see("/registry/example.org/gadgets/default/one", "example.org/v1", "Gadget");
        see("/registry/newthings/one", "new.k8s.io/v1", "NewThing");
        assertThat(stored("gadget")).containsExactly("gadgets.example.org");
        assertThat(stored("newthings.new.k8s.io")).containsExactly("newthings");
    }

    @Test
    void aBuiltInResourceGoesBeforeACustomOneAndAFullNameBeforeAShortOne() throws MalformedJson {
        define("serving.example.com", "services", "service", "Service", "\"ksvc\"");
        define("example.com", "po", "poem", "Poem", "");
        assertThat(stored("services")).contains("services").doesNotContain("services.serving.example.com");
        assertThat(stored("services.serving.example.com")).containsExactly("services.serving.example.com");
        assertThat(stored("po")).containsExactly("po.example.com");
    }

    @Test
    void refusesWhatNothingHasAndSaysWhatThereIs() {
        see("/registry/secrets/default/one", "v1", "Secret");
        see("/registry/pods/default/one", "v1", "Pod");
        assertThatThrownBy(() -> stored("secretz", "pods", "deployments.batch"))
                .isInstanceOfSatisfying(ProblemException.class, e -> {
                    assertThat(e.problems()).hasSize(2);
                    assertThat(e.problems()).allMatch(problem -> problem.code() == ErrorCode.INVALID_FLAG);
                })
                .hasMessageContaining("'secretz' is no resource that Kubernetes has or that backup.db defines")
                .hasMessageContaining("one of those in it: pods, secrets")
                .hasMessageContaining("did you mean secrets?")
                .hasMessageContaining("'deployments.batch' is no resource");
    }

    @Test
    void theListHasEveryKindThatKubernetesStores() throws IOException {
        Set<String> typed = new TreeSet<>();
        for (String line : lines("types.txt")) {
            String[] words = line.split(" ", -1);
            if (!line.startsWith("#") && !line.startsWith(" ") && words.length == 2) {
                String kind = words[0].substring(words[0].lastIndexOf('.') + 1);
                if (!NO_RESOURCES.contains(kind)) {
                    typed.add(new TypeOfValue(words[1], kind).group() + " " + kind.toLowerCase(Locale.ROOT));
                }
            }
        }
        Set<String> listed = new TreeSet<>();
        ResourceNames.builtIn()
                .forEach(resource -> resource.groups()
                        .forEach(group -> resource.full().stream()
                                .filter(name -> !name.equals(resource.plural())
                                        || resource.full().size() == 1)
                                .forEach(kind -> listed.add(group + " " + kind))));
        assertThat(listed).isEqualTo(typed);
    }

    private static List<String> lines(String resource) throws IOException {
        try (var reader = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(ResourceNames.class.getResourceAsStream(resource)), StandardCharsets.UTF_8))) {
            return new ArrayList<>(reader.lines().toList());
        }
    }
}
