package dev.ouroboros.model.kubelet;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.json.YamlText;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A kubelet that a node may run: its program, its configuration and its arguments, all of which are another generation when one of them is another.
 *
 * @param version of the program, as in {@code v1.20.2}
 * @param program where it is on the node
 * @param digest SHA-256 of the program; empty of the one with which the node was made, which may be exchanged beneath it
 * @param config a KubeletConfiguration
 * @param arguments without {@code --config}, and without dashes
 * @param attempt tells what is wished again from what failed before; empty as a rule
 * @param madeOn name of the base that it was made of; empty of that itself. Of another base it is another one
 */
public record KubeletGeneration(
        String version,
        String program,
        Optional<String> digest,
        Json.Fields config,
        SortedMap<String, String> arguments,
        Optional<String> attempt,
        Optional<String> madeOn) {
    private static final int NAME_DIGITS = 16;
    private static final String DEFAULT_ROOT = "/var/lib/kubelet";
    private static final String DEFAULT_ADDRESS = "127.0.0.1";
    private static final long DEFAULT_PORT = 10248;

    public KubeletGeneration {
        arguments = Collections.unmodifiableSortedMap(new TreeMap<>(arguments));
    }

    /** Name of its directory: the same for the same content. The one with which a node was made is {@link KubeletLayout#BASE}. */
    public String name() {
        return Sha256.hex(JsonText.text(sorted(json()))).substring(0, NAME_DIGITS);
    }

    /** In which order fields were wished makes no other kubelet. */
    private static Json sorted(Json value) {
        return switch (value) {
            case Json.Fields(Map<String, Json> fields) -> {
                Json.Fields sorted = Json.object();
                for (Map.Entry<String, Json> field : new TreeMap<>(fields).entrySet()) {
                    sorted = sorted.with(field.getKey(), sorted(field.getValue()));
                }
                yield sorted;
            }
            case Json.Items(List<Json> items) -> Json.items(items.stream().map(KubeletGeneration::sorted));
            case Json.Text _, Json.Numeric _, Json.Bool _, Json.Null _ -> value;
        };
    }

    /** The files of its directory, by their names. */
    public Map<String, String> files(String directory) {
        Map<String, String> files = new TreeMap<>(Map.of(
                KubeletLayout.GENERATION,
                JsonText.text(json()) + "\n",
                KubeletLayout.CONFIG,
                YamlText.write(config),
                KubeletLayout.RUN,
                run(directory + "/" + KubeletLayout.CONFIG),
                "program",
                program + "\n",
                "healthz",
                healthz() + "\n",
                "state",
                KubeletSettingRules.stateOf(this) + "\n",
                "state-files",
                stateFiles()));
        digest.ifPresent(known -> files.put("digest", known + "\n"));
        return files;
    }

    private String run(String configurationFile) {
        StringBuilder words = new StringBuilder(quoted(program));
        SortedMap<String, String> all = new TreeMap<>(arguments);
        all.put("config", configurationFile);
        all.forEach((flag, value) ->
                words.append(" \\\n    ").append(quoted("--" + flag + (value.isEmpty() ? "" : "=" + value))));
        // The credential provider for Amazon's registry asks the metadata service of a cloud that we are not in.
        return "export AWS_EC2_METADATA_DISABLED=true\nexec " + words + "\n";
    }

    private String stateFiles() {
        String root = arguments.getOrDefault("root-dir", DEFAULT_ROOT);
        return KubeletSettingRules.stateFiles().stream()
                .map(name -> root + "/" + name + "\n")
                .collect(Collectors.joining());
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** Address and port where it says whether it is well. */
    private String healthz() {
        String address = config.at("healthzBindAddress").text().orElse(DEFAULT_ADDRESS);
        return address + " " + config.at("healthzPort").integer().orElse(DEFAULT_PORT);
    }

    /** As its file has it. */
    public Json.Fields json() {
        Json.Fields fields = Json.object().with("version", Json.text(version)).with("program", Json.text(program));
        fields = digest.isPresent() ? fields.with("digest", Json.text(digest.get())) : fields;
        fields = attempt.isPresent() ? fields.with("attempt", Json.text(attempt.get())) : fields;
        fields = madeOn.isPresent() ? fields.with("madeOn", Json.text(madeOn.get())) : fields;
        Json.Fields flags = Json.object();
        for (Map.Entry<String, String> argument : arguments.entrySet()) {
            flags = flags.with(argument.getKey(), Json.text(argument.getValue()));
        }
        return fields.with("arguments", flags).with("config", config);
    }

    /**
     * Reads what {@link #json} wrote.
     *
     * @throws MalformedJson when it is something else
     */
    public static KubeletGeneration read(String text) throws MalformedJson {
        Json json = JsonText.read(text);
        Optional<String> program = json.at("program").text();
        if (program.isEmpty() || !(json.at("config") instanceof Json.Fields config)) {
            throw new MalformedJson("has no program and config");
        }
        return new KubeletGeneration(
                json.at("version").text().orElse(""),
                program.get(),
                json.at("digest").text(),
                config,
                json.at("arguments").fields().entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey,
                                argument -> argument.getValue().text().orElse(""),
                                (first, _) -> first,
                                TreeMap::new)),
                json.at("attempt").text(),
                json.at("madeOn").text());
    }
}
