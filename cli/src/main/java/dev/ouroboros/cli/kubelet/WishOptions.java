package dev.ouroboros.cli.kubelet;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** What is wished of a kubelet. */
final class WishOptions {
    @Option(
            names = "--config",
            paramLabel = "FIELD=VALUE",
            description =
                    "A field of the KubeletConfiguration, as maxPods=50 or featureGates.GracefulNodeShutdown=true; the value is JSON, or else a text. May be given again.")
    private List<String> fields = new ArrayList<>();

    @Option(
            names = "--unset-config",
            paramLabel = "FIELD",
            description = "A field that is to have the kubelet's default. May be given again.")
    private List<String> noFields = new ArrayList<>();

    @Option(
            names = "--argument",
            paramLabel = "FLAG=VALUE",
            description = "A flag of the kubelet without its dashes, as v=2. May be given again.")
    private List<String> flags = new ArrayList<>();

    @Option(
            names = "--unset-argument",
            paramLabel = "FLAG",
            description = "A flag that is not to be given. May be given again.")
    private List<String> noFlags = new ArrayList<>();

    boolean isGiven() {
        return !fields.isEmpty() || !noFields.isEmpty() || !flags.isEmpty() || !noFlags.isEmpty();
    }

    /** @throws ProblemException INVALID_FLAG for what is no field or flag with its value */
    KubeletWish wish() {
        Json.Fields config = Json.object();
        for (String field : fields) {
            String[] parts = parts("--config", field, "FIELD=VALUE, as maxPods=50");
            config = with(config, parts[0], value(parts[1]));
        }
        for (String field : noFields) {
            config = with(config, field, Json.absent());
        }
        SortedMap<String, Optional<String>> arguments = new TreeMap<>();
        for (String flag : flags) {
            String[] parts = parts("--argument", flag, "FLAG=VALUE, as v=2");
            arguments.put(parts[0], Optional.of(parts[1]));
        }
        noFlags.forEach(flag -> arguments.put(flag, Optional.empty()));
        arguments.keySet().stream()
                .filter(flag -> flag.startsWith("-"))
                .findFirst()
                .ifPresent(flag -> {
                    throw invalid("--argument", flag + " has dashes", "a flag without them, as v=2");
                });
        return new KubeletWish(config, arguments, Optional.empty(), Optional.empty());
    }

    private static String[] parts(String option, String given, String expected) {
        String[] parts = given.split("=", 2);
        if (parts.length < 2 || parts[0].isBlank()) {
            throw invalid(option, "'" + given + "' has no name and value", expected);
        }
        return parts;
    }

    private static Json value(String text) {
        try {
            return JsonText.read(text);
        } catch (MalformedJson e) {
            // What is no JSON is a text, as on any command line.
            return Json.text(text);
        }
    }

    private static Json.Fields with(Json.Fields config, String path, Json value) {
        String[] parts = path.split("\\.", 2);
        if (parts.length == 1) {
            return config.with(path, value);
        }
        Json.Fields inner = config.at(parts[0]) instanceof Json.Fields before ? before : Json.object();
        // Signals have a dot in their names, as memory.available of evictionHard.
        return config.with(
                parts[0], parts[0].startsWith("eviction") ? inner.with(parts[1], value) : with(inner, parts[1], value));
    }

    private static ProblemException invalid(String option, String what, String expected) {
        return ProblemException.of(
                ErrorCode.INVALID_FLAG, option, what, expected, "ouro kubelet set --help has an example");
    }
}
