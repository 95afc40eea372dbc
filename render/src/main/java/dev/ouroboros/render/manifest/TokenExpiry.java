package dev.ouroboros.render.manifest;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lets a bootstrap token live from the start of its cluster on: its directory may be rendered long before. Render writes for how long, as the
 * annotation {@value #ANNOTATION}; {@code start} writes the point in time, at which the controller manager's token cleaner removes the token
 * (kubernetes.io/docs, bootstrap tokens: {@code expiration}). A token without the annotation, such as bootkube's, stays as it is.
 */
public final class TokenExpiry {
    public static final String ANNOTATION = "ouroboros.dev/expires-after";

    /** As kubeadm's default. */
    static final String DEFAULT = "24h";

    private static final String EXPIRATION = "expiration";
    private static final Pattern FORM = Pattern.compile("(\\d{1,6})([mh])");

    private TokenExpiry() {}

    /**
     * The object with its expiration, if it is a token that has the annotation and no expiration yet.
     *
     * @throws ProblemException INVALID_ASSET_DIRECTORY when the annotation is no duration
     */
    public static GenericKubernetesResource from(Instant start, GenericKubernetesResource object) {
        return lifetime(object)
                .filter(_ -> object.get("data", EXPIRATION) == null)
                .map(lifetime -> expiring(object, start.plus(lifetime).truncatedTo(ChronoUnit.SECONDS)))
                .orElse(object);
    }

    private static Optional<Duration> lifetime(GenericKubernetesResource object) {
        Map<String, String> annotations = object.getMetadata().getAnnotations();
        if (!object.getKind().equals("Secret") || annotations == null) {
            return Optional.empty();
        }
        return Optional.ofNullable(annotations.get(ANNOTATION)).map(value -> parse(value, object));
    }

    private static Duration parse(String value, GenericKubernetesResource object) {
        Matcher matcher = FORM.matcher(value);
        if (!matcher.matches()) {
            throw ProblemException.of(
                    ErrorCode.INVALID_ASSET_DIRECTORY,
                    "Secret " + object.getMetadata().getName() + ", metadata.annotations[" + ANNOTATION + "]",
                    "'" + value + "' is not a duration",
                    "minutes or hours, as in 30m or 24h",
                    "without the annotation the token never expires");
        }
        long number = Long.parseLong(matcher.group(1));
        return matcher.group(2).equals("h") ? Duration.ofHours(number) : Duration.ofMinutes(number);
    }

    private static GenericKubernetesResource expiring(GenericKubernetesResource token, Instant end) {
        Map<String, Object> data = new LinkedHashMap<>();
        if (token.get("data") instanceof Map<?, ?> rendered) {
            rendered.forEach((key, value) -> data.put(String.valueOf(key), value));
        }
        data.put(EXPIRATION, Kubeconfigs.base64(end.toString()));
        return new GenericKubernetesResourceBuilder(token)
                .addToAdditionalProperties("data", data)
                .build();
    }
}
