package dev.ouroboros.snapshot.encryption;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The keys of an API server's {@code --encryption-provider-config}, in their order. For which resources they are meant is not
 * looked at: a value names its provider and key itself, and a resource may have been moved to another key since.
 *
 * @param kms names of the KMS providers, whose keys are not in the file
 */
public record EncryptionConfiguration(List<EncryptionKey> keys, List<String> kms) {
    private static final String AS_THE_SERVER =
            "give the very file that the API server reads with --encryption-provider-config";

    public EncryptionConfiguration {
        keys = List.copyOf(keys);
        kms = List.copyOf(kms);
    }

    /** Without any key: reads what is not encrypted. */
    public static EncryptionConfiguration none() {
        return new EncryptionConfiguration(List.of(), List.of());
    }

    /**
     * Reads the file's text.
     *
     * @param file its name, for messages
     * @throws ProblemException with everything that is wrong
     */
    public static EncryptionConfiguration read(String text, String file) {
        Object document;
        try {
            document = new Load(LoadSettings.builder().setLabel(file).build()).loadFromString(text);
        } catch (YamlEngineException e) {
            throw ProblemException.of(
                    ErrorCode.INVALID_CONFIG,
                    file,
                    "not YAML: " + e.getMessage(),
                    "an EncryptionConfiguration",
                    AS_THE_SERVER);
        }
        Reading reading = new Reading(file);
        Map<?, ?> top = map(document).orElse(Map.of());
        if (!String.valueOf(top.get("kind")).matches("EncryptionConfig(uration)?")) {
            reading.problem("kind", "is " + top.get("kind"), "EncryptionConfiguration");
        }
        List<?> resources = list(top.get("resources"));
        for (int index = 0; index < resources.size(); index++) {
            reading.providers(
                    "resources[" + index + "].providers",
                    map(resources.get(index)).orElse(Map.of()));
        }
        if (resources.isEmpty() && reading.problems.isEmpty()) {
            reading.problem("resources", "is empty", "a list of resources and their providers");
        }
        if (!reading.problems.isEmpty()) {
            throw new ProblemException(reading.problems);
        }
        return new EncryptionConfiguration(reading.keys, reading.kms);
    }

    /** What a key is called, for messages: {@code aescbc key1}. */
    public List<String> labels() {
        return keys.stream().map(EncryptionKey::toString).toList();
    }

    private static Optional<Map<?, ?>> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? Optional.of(map) : Optional.empty();
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    private static final class Reading {
        private final String file;
        private final List<Problem> problems = new ArrayList<>();
        private final List<EncryptionKey> keys = new ArrayList<>();
        private final List<String> kms = new ArrayList<>();

        Reading(String file) {
            this.file = file;
        }

        void problem(String field, String what, String expected) {
            problems.add(new Problem(ErrorCode.INVALID_CONFIG, file + ": " + field, what, expected, AS_THE_SERVER));
        }

        void providers(String field, Map<?, ?> resource) {
            List<?> providers = list(resource.get("providers"));
            if (providers.isEmpty()) {
                problem(field, "is missing or no list", "identity, aescbc, aesgcm, secretbox or kms");
            }
            for (int index = 0; index < providers.size(); index++) {
                String at = field + "[" + index + "]";
                map(providers.get(index))
                        .orElse(Map.of())
                        .forEach((name, value) -> provider(at, String.valueOf(name), value));
            }
        }

        private void provider(String at, String name, @Nullable Object value) {
            Optional<Provider> provider = Provider.named(name);
            if (provider.isPresent()) {
                List<?> entries =
                        map(value).map(fields -> list(fields.get("keys"))).orElse(List.of());
                if (entries.isEmpty()) {
                    problem(at + "." + name + ".keys", "is missing or empty", "a list of keys with name and secret");
                }
                for (int index = 0; index < entries.size(); index++) {
                    key(
                            provider.get(),
                            at + "." + name + ".keys[" + index + "]",
                            map(entries.get(index)).orElse(Map.of()));
                }
            } else if (name.equals("kms")) {
                kms.add(map(value)
                        .map(fields -> String.valueOf(fields.get("name")))
                        .orElse(""));
            } else if (!name.equals("identity")) {
                problem(at, "is the unknown provider " + name, "identity, aescbc, aesgcm, secretbox or kms");
            }
        }

        private void key(Provider provider, String at, Map<?, ?> fields) {
            if (!(fields.get("name") instanceof String name) || name.isEmpty()) {
                problem(at + ".name", "is missing", "the key's name");
                return;
            }
            byte[] secret;
            try {
                secret = Base64.getDecoder()
                        .decode(String.valueOf(fields.get("secret")).strip());
            } catch (IllegalArgumentException e) {
                problem(at + ".secret", "is not base64", "the base64 of " + provider.keyLengths() + " bytes");
                return;
            }
            if (!provider.keyLengths().contains(secret.length)) {
                problem(at + ".secret", "has " + secret.length + " bytes", provider.keyLengths() + " bytes");
                return;
            }
            keys.add(new EncryptionKey(provider, name, secret, file + ": " + at));
        }
    }
}
