package dev.ouroboros.change.decide;

import dev.ouroboros.keeper.template.EncryptionKeys;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.PlainYaml;
import dev.ouroboros.model.json.YamlText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An EncryptionConfiguration, and the ones that a rotation makes of it. Of each group of resources the first provider writes, with its
 * first key; that provider's keys are rotated, all others stay as they are.
 */
public record EncryptionFile(Json configuration) {
    /** Providers whose keys are in the file, with secrets of 32 bytes. */
    private static final Set<String> WITH_KEYS = Set.of("aescbc", "aesgcm", "secretbox");

    private static final Pattern NUMBERED = Pattern.compile("key(\\d{1,8})");

    /** Where a key stands. */
    public enum Place {
        /** At least one group does not know it. */
        ABSENT,
        /** Every group reads with it. */
        READER,
        /** Every group writes with it, and at least one reads with others too. */
        WRITER,
        /** No writing provider has another key. */
        ALONE
    }

    /**
     * Reads a file.
     *
     * @param where it is, for the message
     * @throws ProblemException when it is not understood, or its keys cannot be rotated
     */
    public static EncryptionFile parse(String text, String where) {
        Optional<Json> read = EncryptionKeys.parse(text).flatMap(_ -> PlainYaml.read(text));
        EncryptionFile file = new EncryptionFile(read.orElseThrow(() -> refused(
                where,
                "is not understood",
                "an EncryptionConfiguration in JSON or in plain block YAML",
                "write it so")));
        for (Json group : file.groups()) {
            String writer = provider(group);
            if (!WITH_KEYS.contains(writer)) {
                throw refused(
                        where,
                        file.resources(group) + " are written with " + writer + ", which has no keys in this file",
                        "one of aescbc, aesgcm, secretbox as the first provider",
                        writer.equals("kms")
                                ? "rotate the key in the KMS"
                                : "add a provider with a key, then put it first");
            }
        }
        return file;
    }

    private static ProblemException refused(String where, String what, String expected, String next) {
        return ProblemException.of(ErrorCode.UNSUPPORTED_CLUSTER, where, what, expected, next);
    }

    /** As block YAML, which API servers and ChangeCheck read. */
    public String text() {
        return YamlText.write(configuration);
    }

    private List<Json> groups() {
        return configuration.at("resources").items();
    }

    private static String provider(Json group) {
        return group.at("providers").items().stream()
                .findFirst()
                .flatMap(first -> first.fields().keySet().stream().findFirst())
                .orElse("nothing");
    }

    private static List<Json> keys(Json group) {
        return group.at("providers")
                .items()
                .getFirst()
                .at(provider(group), "keys")
                .items();
    }

    private static List<String> names(Json group) {
        return keys(group).stream().map(EncryptionFile::name).toList();
    }

    private static String name(Json key) {
        return key.at("name").text().orElse("");
    }

    private String resources(Json group) {
        return String.join(", ", texts(group.at("resources")));
    }

    private static List<String> texts(Json list) {
        return list.items().stream().flatMap(item -> item.text().stream()).toList();
    }

    /** The resources that it names, as in {@code secrets} and {@code deployments.apps}; each once. */
    public Set<String> resources() {
        Set<String> all = new LinkedHashSet<>();
        groups().forEach(group -> all.addAll(texts(group.at("resources"))));
        return all;
    }

    /** Names of all keys of the providers that write. */
    public Set<String> keyNames() {
        Set<String> all = new LinkedHashSet<>();
        groups().forEach(group -> all.addAll(names(group)));
        return all;
    }

    /** The keys that write now. */
    public Set<String> writers() {
        Set<String> all = new LinkedHashSet<>();
        groups().forEach(group -> all.add(names(group).getFirst()));
        return all;
    }

    public Place placeOf(String key) {
        Place place = Place.ALONE;
        for (Json group : groups()) {
            List<String> names = names(group);
            Place here = !names.contains(key)
                    ? Place.ABSENT
                    : !names.getFirst().equals(key) ? Place.READER : names.size() > 1 ? Place.WRITER : Place.ALONE;
            place = here.compareTo(place) < 0 ? here : place;
        }
        return place;
    }

    /** A name that no key has or had: one above the highest number, {@code key3} beside {@code key2}, even when {@code key1} is gone. */
    public String freeName() {
        int highest = 0;
        for (Json group : groups()) {
            for (Json provider : group.at("providers").items()) {
                for (Json settings : provider.fields().values()) {
                    for (Json key : settings.at("keys").items()) {
                        Matcher numbered = NUMBERED.matcher(name(key));
                        highest = numbered.matches() ? Math.max(highest, Integer.parseInt(numbered.group(1))) : highest;
                    }
                }
            }
        }
        return "key" + (highest + 1);
    }

    /**
     * With the key as a reader wherever it is not known.
     *
     * @param secrets supplies another one for each group, in base64
     */
    EncryptionFile withReader(String key, Supplier<String> secrets) {
        return changed(keys -> {
            List<Json> all = new ArrayList<>(keys);
            if (keys.stream().noneMatch(known -> name(known).equals(key))) {
                all.add(Json.object().with("name", Json.text(key)).with("secret", Json.text(secrets.get())));
            }
            return all;
        });
    }

    /** With the key first, so that it writes. */
    EncryptionFile withWriter(String key) {
        return changed(keys -> {
            List<Json> all = new ArrayList<>(only(keys, key));
            keys.stream().filter(other -> !name(other).equals(key)).forEach(all::add);
            return all;
        });
    }

    /** Without any other key of the providers that write. */
    EncryptionFile withOnly(String key) {
        return changed(keys -> only(keys, key));
    }

    private static List<Json> only(List<Json> keys, String key) {
        return keys.stream().filter(known -> name(known).equals(key)).toList();
    }

    private EncryptionFile changed(UnaryOperator<List<Json>> change) {
        List<Json> groups = new ArrayList<>();
        for (Json group : groups()) {
            List<Json> providers = new ArrayList<>(group.at("providers").items());
            Json keys = new Json.Items(change.apply(keys(group)));
            Json settings = ((Json.Fields) providers.getFirst().at(provider(group))).with("keys", keys);
            providers.set(0, Json.object().with(provider(group), settings));
            groups.add(((Json.Fields) group)
                    .with("providers", Json.items(providers.stream().map(EncryptionFile::typed))));
        }
        return new EncryptionFile(((Json.Fields) configuration).with("resources", new Json.Items(groups)));
    }

    /** Restores the only number of a configuration, which the reader of plain YAML takes for a text. */
    private static Json typed(Json provider) {
        Optional<String> size = provider.at("kms", "cachesize").text().filter(text -> text.matches("\\d{1,9}"));
        return size.isEmpty() || !(provider.at("kms") instanceof Json.Fields kms)
                ? provider
                : Json.object().with("kms", kms.with("cachesize", Json.number(Long.parseLong(size.get()))));
    }

    /** Does not print the keys. */
    @Override
    public String toString() {
        return "EncryptionConfiguration of " + resources() + " with " + keyNames();
    }

    /** The keys of the writing providers, for messages: {@code secrets: key2, key1}. */
    public String describe() {
        List<String> all = new ArrayList<>();
        groups().forEach(group -> all.add(resources(group) + ": " + String.join(", ", names(group))));
        return String.join("; ", all);
    }

    /** Whether this file is {@code before} with the key added as a reader, whatever its secret; false when the key already writes. */
    boolean isAdditionTo(EncryptionFile before, String key) {
        return placeOf(key) == Place.READER && without(key).equals(before);
    }

    private EncryptionFile without(String key) {
        return changed(
                keys -> keys.stream().filter(known -> !name(known).equals(key)).toList());
    }
}
