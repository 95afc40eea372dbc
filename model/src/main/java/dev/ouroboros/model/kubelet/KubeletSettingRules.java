package dev.ouroboros.model.kubelet;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What is so of settings of a kubelet, by data with their sources: {@code settings.json}. */
public final class KubeletSettingRules {
    private static final String RESOURCE = "settings.json";
    private static final String HEALTHZ_PORT = "healthzPort";

    private KubeletSettingRules() {}

    private static final class Loaded {
        private static final Json DATA = read();
    }

    private static Json read() {
        try (InputStream stream = KubeletSettingRules.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("missing resource " + RESOURCE);
            }
            return JsonText.read(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
    }

    /**
     * What stands against a node's going from one generation to another, for people: settings that cannot be changed on a node that has pods.
     *
     * @return empty when nothing does
     */
    public static List<String> against(KubeletGeneration from, KubeletGeneration to) {
        List<String> found = new ArrayList<>();
        for (Json rule : Loaded.DATA.at("fixed").items()) {
            Optional<String> field = rule.at("field").text();
            Optional<String> flag = rule.at("flag").text();
            Optional<String> before = value(from, field, flag);
            Optional<String> after = value(to, field, flag);
            if (!before.equals(after)) {
                String name = field.orElseGet(() -> "--" + flag.orElse(""));
                found.add(name + " cannot be "
                        + after.map(text -> "'" + text + "'").orElse("left out") + ": "
                        + rule.at("why").text().orElse("") + "; expected "
                        + before.map(text -> "'" + text + "'").orElse("none"));
            }
        }
        if (to.config().at(HEALTHZ_PORT).integer().orElse(1) == 0) {
            found.add(HEALTHZ_PORT
                    + " cannot be 0: the guard asks the kubelet there whether it is well; expected a port");
        }
        return found;
    }

    /** The text of what is {@link #said}. */
    private static Optional<String> value(KubeletGeneration generation, Optional<String> field, Optional<String> flag) {
        return said(generation, field, flag).map(value -> value.text().orElseGet(() -> JsonText.text(value)));
    }

    /** Said in the configuration or by a flag, which wins. */
    private static Optional<Json> said(KubeletGeneration generation, Optional<String> field, Optional<String> flag) {
        return flag.flatMap(name -> Optional.ofNullable(generation.arguments().get(name)))
                .<Json>map(Json::text)
                .or(() -> field.map(generation.config()::at).filter(value -> !value.isNull()));
    }

    /**
     * What of the way from one wish to another is not to be done under pods, for people: a setting that gives out anew what they hold, or another minor version.
     *
     * @param version that the kubelet has now, as in {@code v1.20.2}
     * @return empty when pods may stay
     */
    public static List<String> drains(KubeletWish from, KubeletWish to, String version) {
        List<String> found = new ArrayList<>();
        boolean isSameProgram = from.program().equals(to.program());
        // What a node was made with is not known where its program is no longer wished to be another.
        boolean isSameMinor = to.program()
                .filter(program -> minor(program.version()).equals(minor(version)))
                .isPresent();
        if (!isSameProgram && !isSameMinor) {
            found.add("kubelet "
                    + to.program().map(KubeletWish.Program::version).orElse("as the node was made, after " + version));
        }
        for (Json setting : Loaded.DATA.at("drained", "settings").items()) {
            String field = setting.at("field").text().orElse("");
            String flag = setting.at("flag").text().orElse("");
            if (!from.config().at(field).equals(to.config().at(field))) {
                found.add(field);
            }
            if (!Objects.equals(from.arguments().get(flag), to.arguments().get(flag))) {
                found.add("--" + flag);
            }
        }
        return found;
    }

    private static String minor(String version) {
        int patch = version.lastIndexOf('.');
        return patch > version.indexOf('.') ? version.substring(0, patch) : version;
    }

    /**
     * On what a kubelet's state files depend: one of another minor version, or of another policy for processors and memory, does not start with them.
     */
    static String stateOf(KubeletGeneration generation) {
        List<String> parts = new ArrayList<>();
        parts.add(minor(generation.version()));
        for (Json field : Loaded.DATA.at("stateFiles", "fields").items()) {
            said(generation, field.text(), flagOf(field))
                    .ifPresent(value -> parts.add(field.text().orElse("") + "=" + JsonText.text(value)));
        }
        return String.join(" ", parts);
    }

    /** All that state files depend on is a reason to drain, too. */
    private static Optional<String> flagOf(Json field) {
        return Loaded.DATA.at("drained", "settings").items().stream()
                .filter(setting -> setting.at("field").equals(field))
                .findFirst()
                .flatMap(setting -> setting.at("flag").text());
    }

    /** Names of those files in the kubelet's own directory. */
    public static List<String> stateFiles() {
        return Loaded.DATA.at("stateFiles", "names").items().stream()
                .flatMap(name -> name.text().stream())
                .toList();
    }
}
