package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.checkpoint.ApiObject.Kind;
import dev.ouroboros.model.checkpoint.ReferencedObjects.Data;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Turns the variables of a container that the kubelet takes from API objects into literal ones, so that the process sees the same
 * environment (makeEnvironmentVariables in pkg/kubelet/kubelet_pods.go):
 *
 * <ol>
 *   <li>envFrom comes first, in order, later sources over earlier ones; keys that are no names of variables are left out
 *   <li>env comes over envFrom
 *   <li>{@code $(NAME)} is expanded in a literal value only, so that what came from an object is escaped: each $ twice
 * </ol>
 */
final class EnvironmentInliner {
    private static final Pattern STRICT_NAME = Pattern.compile("[-._a-zA-Z][-._a-zA-Z0-9]*");
    private static final Pattern RELAXED_NAME = Pattern.compile("[ -<>-~]+");

    /** From this version RelaxedEnvironmentVariableValidation is beta and on; pkg/features/kube_features.go. */
    private static final KubernetesVersion RELAXED = KubernetesVersion.of(1, 32);

    private static final Pattern OWN_KEY = Pattern.compile("metadata\\.(labels|annotations)\\['(.*)'\\]");

    private final ReferencedObjects sources;
    private final Json pod;
    private final Pattern names;

    EnvironmentInliner(ReferencedObjects sources, Json pod, KubernetesVersion kubelet) {
        this.sources = sources;
        this.pod = pod;
        this.names = kubelet.minorVersion().compareTo(RELAXED) >= 0 ? RELAXED_NAME : STRICT_NAME;
    }

    /** The variables of a container, all without a reference to an API object. */
    Json.Items inlined(LocatedJson container) {
        Map<String, String> fromSources = new LinkedHashMap<>();
        container.each("envFrom").forEach(source -> fromSources.putAll(variables(source)));
        List<Json> own = container.each("env").flatMap(this::literal).toList();
        List<Json> all = new ArrayList<>();
        fromSources.forEach((name, value) -> {
            if (!isHidden(name, own)) {
                all.add(variable(name, value));
            }
        });
        all.addAll(own);
        return new Json.Items(all);
    }

    private static Json.Fields variable(String name, String value) {
        return Json.object().with("name", Json.text(name)).with("value", Json.text(value.replace("$", "$$")));
    }

    /** Whether a variable is set again, and its first value is used nowhere. */
    private static boolean isHidden(String name, List<Json> own) {
        boolean isSetAgain =
                own.stream().anyMatch(variable -> variable.at("name").text().equals(Optional.of(name)));
        boolean isUsed = own.stream()
                .flatMap(variable -> variable.at("value").text().stream())
                .anyMatch(value -> value.contains("$(" + name + ")"));
        return isSetAgain && !isUsed;
    }

    private Map<String, String> variables(LocatedJson source) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (Kind kind : Kind.values()) {
            LocatedJson reference = source.at(kind == Kind.SECRET ? "secretRef" : "configMapRef");
            if (reference.isPresent()) {
                Optional<Data> data = sources.data(kind, reference, "name");
                data.map(Data::text).orElse(Map.of()).forEach((key, content) -> {
                    String name = source.text("prefix") + key;
                    if (names.matcher(name).matches()) {
                        variables.put(name, text(content, reference.path() + ".name", data, key));
                    }
                });
            }
        }
        return variables;
    }

    /** One variable of {@code env}; none when its reference is optional and the object or key does not exist. */
    private Stream<Json> literal(LocatedJson variable) {
        LocatedJson from = variable.at("valueFrom");
        boolean hasValue = !variable.text("value").isEmpty();
        if (hasValue || !from.isPresent()) {
            return Stream.of(variable.value());
        }
        for (Kind kind : Kind.values()) {
            LocatedJson reference = from.at(kind == Kind.SECRET ? "secretKeyRef" : "configMapKeyRef");
            if (reference.isPresent()) {
                return value(kind, reference).map(value -> (Json) variable(variable.text("name"), value)).stream();
            }
        }
        return Stream.of(ownField(from.at("fieldRef").text("fieldPath"))
                .map(value -> (Json) variable(variable.text("name"), value))
                .orElse(variable.value()));
    }

    private Optional<String> value(Kind kind, LocatedJson reference) {
        Optional<Data> data = sources.data(kind, reference, "name");
        if (data.isEmpty()) {
            return Optional.empty();
        }
        String key = reference.text("key");
        Content content = data.get().text().get(key);
        if (content == null && !ReferencedObjects.isOptional(reference)) {
            sources.missing(
                    reference.at("key").path(),
                    data.get().object() + " has no key " + key,
                    "add the key, or mark it optional");
        }
        return Optional.ofNullable(content)
                .map(found -> text(found, reference.at("key").path(), data, key));
    }

    /** The principal's value of a field that differs in the understudy, which has other labels and annotations and no ServiceAccount. */
    private Optional<String> ownField(String fieldPath) {
        if (fieldPath.equals("spec.serviceAccountName")) {
            return Optional.of(pod.at("spec", "serviceAccountName").text().orElse(""));
        }
        return Optional.of(OWN_KEY.matcher(fieldPath))
                .filter(matcher -> matcher.matches())
                .map(matcher -> pod.at("metadata", matcher.group(1), matcher.group(2))
                        .text()
                        .orElse(""));
    }

    private String text(Content content, String field, Optional<Data> data, String key) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content.bytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            String object = data.map(Data::object).orElse("");
            sources.refuse(
                    field,
                    "key " + key + " of " + object + " is not text in UTF-8, which a variable must be",
                    "mount it as a file");
            return "";
        }
    }
}
