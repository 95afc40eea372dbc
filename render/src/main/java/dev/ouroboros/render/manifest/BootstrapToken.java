package dev.ouroboros.render.manifest;

import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The token with which kubelets join, {@code id.secret} (kubernetes.io/docs, bootstrap tokens: token format). */
public record BootstrapToken(String id, String secret) {
    private static final Pattern SYNTAX = Pattern.compile("([a-z0-9]{6})\\.([a-z0-9]{16})");
    private static final Pattern TOKEN_FIELD = Pattern.compile("(\\btoken\"?: *\"?)[a-z0-9]{6}\\.[a-z0-9]{16}\\b");
    private static final String ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

    public BootstrapToken {
        if (!SYNTAX.matcher(id + "." + secret).matches()) {
            throw new IllegalArgumentException("not a bootstrap token");
        }
    }

    public static BootstrapToken random(SecureRandom random) {
        return new BootstrapToken(word(random, 6), word(random, 16));
    }

    public static Optional<BootstrapToken> parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        return matcher.matches()
                ? Optional.of(new BootstrapToken(matcher.group(1), matcher.group(2)))
                : Optional.empty();
    }

    /** A kubeconfig with another token in the place of its own. */
    public static String replaced(String kubeconfig, BootstrapToken token) {
        return TOKEN_FIELD.matcher(kubeconfig).replaceAll("$1" + token.value());
    }

    /** As a kubelet sends it. */
    public String value() {
        return id + "." + secret;
    }

    /** Does not print the secret. */
    @Override
    public String toString() {
        return "bootstrap token " + id;
    }

    private static String word(SecureRandom random, int length) {
        StringBuilder word = new StringBuilder(length);
        while (word.length() < length) {
            word.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return word.toString();
    }
}
