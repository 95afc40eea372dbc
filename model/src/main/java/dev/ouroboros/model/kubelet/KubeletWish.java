package dev.ouroboros.model.kubelet;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How the kubelet of a node is to differ from the one with which the node was made: an annotation of its Node, as JSON.
 *
 * <pre>{"config": {"maxPods": 50}, "arguments": {"v": "2"}, "program": {"version": "v1.20.2", "digest": "..."}}</pre>
 *
 * <p>What is not named stays. As it says what a setting is to be, and not what is to be changed, it means the same on a node that has it already.
 *
 * @param config a merge patch (RFC 7386) of the KubeletConfiguration: null removes a field
 * @param arguments by flag, without dashes; empty removes one
 * @param program another one
 * @param attempt any text, by which a wish that failed is tried again
 */
public record KubeletWish(
        Json.Fields config,
        SortedMap<String, Optional<String>> arguments,
        Optional<Program> program,
        Optional<String> attempt) {
    /** On a Node: what is wished of its kubelet. */
    public static final String ANNOTATION = "ouroboros.dev/kubelet";

    /** On a Node: by which change it got its wish, and what ran before. */
    public static final String BEFORE_ANNOTATION = "ouroboros.dev/kubelet-before";

    /** On a Node: that it takes no pods until its kubelet is another one, and for which change we asked that. */
    public static final String CORDON_ANNOTATION = "ouroboros.dev/cordoned-for-kubelet";

    /** That nothing is to differ. */
    public static final KubeletWish NOTHING =
            new KubeletWish(Json.object(), new TreeMap<>(), Optional.empty(), Optional.empty());

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,6}");
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern FLAG = Pattern.compile("[a-z0-9][a-zA-Z0-9-]*");
    private static final List<String> FIELDS = List.of("config", "arguments", "program", "attempt");

    /**
     * Another program.
     *
     * @param version as in {@code v1.20.2}
     * @param digest SHA-256 of its content
     */
    public record Program(String version, String digest) {}

    public KubeletWish {
        arguments = new TreeMap<>(arguments);
    }

    /**
     * Reads an annotation.
     *
     * @throws MalformedJson when it cannot be understood: what, and what is expected
     */
    public static KubeletWish read(String text) throws MalformedJson {
        if (text.isBlank()) {
            return NOTHING;
        }
        return of(JsonText.read(text));
    }

    /** As {@link #read}, of what was read. */
    public static KubeletWish of(Json json) throws MalformedJson {
        if (!(json instanceof Json.Fields)) {
            throw new MalformedJson("is no JSON object; expected one with " + String.join(", ", FIELDS));
        }
        for (String field : json.fields().keySet()) {
            if (!FIELDS.contains(field)) {
                throw new MalformedJson("has an unknown field '" + field + "'; expected " + String.join(", ", FIELDS));
            }
        }
        return new KubeletWish(
                config(json.at("config")), arguments(json.at("arguments")), program(json.at("program")), attempt(json));
    }

    private static Json.Fields config(Json config) throws MalformedJson {
        if (config.isNull()) {
            return Json.object();
        }
        if (config instanceof Json.Fields fields) {
            return fields;
        }
        throw new MalformedJson("config is no object; expected fields of a KubeletConfiguration");
    }

    private static SortedMap<String, Optional<String>> arguments(Json arguments) throws MalformedJson {
        if (!arguments.isNull() && !(arguments instanceof Json.Fields)) {
            throw new MalformedJson("arguments is no object; expected texts by flag, as in {\"v\": \"2\"}");
        }
        SortedMap<String, Optional<String>> read = new TreeMap<>();
        for (Map.Entry<String, Json> argument : arguments.fields().entrySet()) {
            String flag = argument.getKey();
            if (!FLAG.matcher(flag).matches()) {
                throw new MalformedJson("arguments." + flag + " is no flag; expected one without dashes before it");
            }
            if (!argument.getValue().isNull() && argument.getValue().text().isEmpty()) {
                throw new MalformedJson("arguments." + flag + " is no text; expected one, or null to remove the flag");
            }
            read.put(flag, argument.getValue().text());
        }
        return read;
    }

    private static Optional<Program> program(Json program) throws MalformedJson {
        if (program.isNull()) {
            return Optional.empty();
        }
        Optional<String> version = program.at("version").text();
        Optional<String> digest = program.at("digest").text();
        if (version.isEmpty()
                || digest.filter(text -> DIGEST.matcher(text).matches()).isEmpty()) {
            throw new MalformedJson(
                    "program has no version and digest; expected a version as v1.20.2, and 64 hexadecimal digits of SHA-256");
        }
        return Optional.of(new Program(version.get(), digest.get()));
    }

    private static Optional<String> attempt(Json json) throws MalformedJson {
        Json attempt = json.at("attempt");
        if (!attempt.isNull() && attempt.text().isEmpty()) {
            throw new MalformedJson("attempt is no text; expected any text");
        }
        return attempt.text();
    }

    /** As an annotation has it. */
    public Json.Fields json() {
        Json.Fields fields = Json.object();
        fields = config.values().isEmpty() ? fields : fields.with("config", config);
        if (!arguments.isEmpty()) {
            Json.Fields flags = Json.object();
            for (Map.Entry<String, Optional<String>> argument : arguments.entrySet()) {
                flags = flags.with(
                        argument.getKey(), argument.getValue().map(Json::text).orElseGet(Json::absent));
            }
            fields = fields.with("arguments", flags);
        }
        if (program.isPresent()) {
            fields = fields.with(
                    "program",
                    Json.object()
                            .with("version", Json.text(program.get().version()))
                            .with("digest", Json.text(program.get().digest())));
        }
        return attempt.isPresent() ? fields.with("attempt", Json.text(attempt.get())) : fields;
    }

    /** The text of the annotation; empty when nothing is to differ. */
    public String text() {
        return isNothing() ? "" : JsonText.text(json());
    }

    /** Whether nothing is to differ. */
    public boolean isNothing() {
        return config.values().isEmpty() && arguments.isEmpty() && program.isEmpty() && attempt.isEmpty();
    }

    /** What a node whose kubelet was made as {@code base} is to run. */
    public KubeletGeneration on(KubeletGeneration base) {
        SortedMap<String, String> flags = new TreeMap<>(base.arguments());
        arguments.forEach(
                (flag, value) -> value.ifPresentOrElse(text -> flags.put(flag, text), () -> flags.remove(flag)));
        return new KubeletGeneration(
                program.map(Program::version).orElse(base.version()),
                program.map(wished -> KubeletLayout.path(KubeletLayout.PROGRAMS, wished.digest(), "kubelet"))
                        .orElse(base.program()),
                program.map(Program::digest).or(base::digest),
                merged(base.config(), config),
                flags,
                attempt,
                Optional.of(base.name()));
    }

    /** This and more, of which the latter wins. */
    public KubeletWish and(KubeletWish more) {
        SortedMap<String, Optional<String>> flags = new TreeMap<>(arguments);
        flags.putAll(more.arguments);
        return new KubeletWish(
                joined(config, more.config), flags, more.program.or(() -> program), more.attempt.or(() -> attempt));
    }

    /** The same, tried once more after another one failed. */
    public KubeletWish attempt(KubeletWish failed) {
        int attempts = failed.attempt
                .filter(text -> NUMBER.matcher(text).matches())
                .map(Integer::parseInt)
                .orElse(0);
        return new KubeletWish(config, arguments, program, Optional.of(Integer.toString(attempts + 1)));
    }

    /** One patch that does what two do, one after the other: what is removed is still named. */
    private static Json.Fields joined(Json.Fields first, Json.Fields second) {
        Json.Fields result = first;
        for (Map.Entry<String, Json> field : second.values().entrySet()) {
            result = result.with(
                    field.getKey(),
                    field.getValue() instanceof Json.Fields inner
                                    && first.at(field.getKey()) instanceof Json.Fields before
                            ? joined(before, inner)
                            : field.getValue());
        }
        return result;
    }

    /** RFC 7386, section 2. */
    private static Json.Fields merged(Json.Fields target, Json.Fields patch) {
        Json.Fields result = target;
        for (Map.Entry<String, Json> field : patch.values().entrySet()) {
            String name = field.getKey();
            if (field.getValue().isNull()) {
                result = result.without(name);
            } else if (field.getValue() instanceof Json.Fields inner) {
                Json.Fields within = target.at(name) instanceof Json.Fields before ? before : Json.object();
                result = result.with(name, merged(within, inner));
            } else {
                result = result.with(name, field.getValue());
            }
        }
        return result;
    }

    /** Names of what is wished, for people. */
    public List<String> settings() {
        List<String> names = new ArrayList<>(config.values().keySet());
        arguments.keySet().forEach(flag -> names.add("--" + flag));
        program.ifPresent(wished -> names.add("kubelet " + wished.version()));
        return names;
    }
}
