package dev.ouroboros.render;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.manifest.BootstrapToken;
import dev.ouroboros.render.manifest.ServerConfigurations;
import dev.ouroboros.render.manifest.Yaml;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Random secrets besides keys: the encryption key and the bootstrap token. What a directory has is kept. */
final class SecretMaterial {
    private static final int KEY_BYTES = 32;
    private static final Pattern FIRST_PROVIDER = Pattern.compile("providers:\\s*-\\s*([a-z0-9]+):");
    private static final Pattern TOKEN = Pattern.compile("(?m)^\\s*token: \"?([a-z0-9]{6}\\.[a-z0-9]{16})\"?\\s*$");

    private final ClusterSpec cluster;
    private final VersionFacts facts;
    private final AssetDirectory directory;
    private final SecureRandom random;

    SecretMaterial(ClusterSpec cluster, VersionFacts facts, AssetDirectory directory, SecureRandom random) {
        this.cluster = cluster;
        this.facts = facts;
        this.directory = directory;
        this.random = random;
    }

    /** Configuration files of the API server, by path. */
    SortedMap<String, String> serverFiles(List<Problem> problems) {
        SortedMap<String, String> files = new TreeMap<>();
        Optional<String> encryption = encryption(problems);
        encryption.ifPresent(text -> files.put(AssetLayout.ENCRYPTION_CONFIG, text));
        ServerConfigurations.authentication(facts)
                .ifPresent(
                        configuration -> files.put(AssetLayout.AUTHENTICATION_CONFIG, new Yaml().text(configuration)));
        return files;
    }

    private Optional<String> encryption(List<Problem> problems) {
        Optional<String> existing = directory.read(AssetLayout.ENCRYPTION_CONFIG);
        ClusterSpec.Encryption wanted = cluster.encryption();
        if (existing.isEmpty()) {
            return wanted.enabled() ? Optional.of(newEncryption()) : Optional.empty();
        }
        if (!wanted.enabled()) {
            problems.add(new Problem(
                    ErrorCode.INVALID_CONFIG,
                    Field.ENCRYPTION_ENABLED.path(),
                    "is false, but " + AssetLayout.ENCRYPTION_CONFIG + " is there: Secrets written with it"
                            + " could not be read",
                    "true",
                    "if no cluster uses the file, move it away"));
            return Optional.empty();
        }
        Matcher writer = FIRST_PROVIDER.matcher(existing.get());
        String provider = wanted.provider().field();
        if (!writer.find() || !writer.group(1).equals(provider)) {
            problems.add(new Problem(
                    ErrorCode.INVALID_CONFIG,
                    Field.ENCRYPTION_PROVIDER.path(),
                    "is " + provider + ", but " + AssetLayout.ENCRYPTION_CONFIG + " writes with another",
                    "the provider in use: two API servers on one etcd must be able to read what either writes",
                    "add the new key to that file as a reader first, roll it out, and only then put it first"));
        }
        return existing;
    }

    private String newEncryption() {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        Map<String, Object> configuration = ServerConfigurations.encryption(
                facts, cluster.encryption().provider(), Base64.getEncoder().encodeToString(key));
        return new Yaml().text(configuration);
    }

    BootstrapToken bootstrapToken(List<Problem> problems) {
        Optional<String> existing = directory.read(AssetLayout.KUBELET_KUBECONFIG);
        Optional<BootstrapToken> token = existing.map(TOKEN::matcher)
                .filter(Matcher::find)
                .flatMap(matcher -> BootstrapToken.parse(matcher.group(1)));
        if (existing.isPresent() && token.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.EDITED_FILE,
                    AssetLayout.KUBELET_KUBECONFIG,
                    "holds no bootstrap token",
                    "the token with which kubelets join, as in abcdef.0123456789abcdef",
                    "move the file away to have a new one made"));
        }
        return token.orElseGet(() -> BootstrapToken.random(random));
    }
}
