package dev.ouroboros.status.judge;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.runtime.RuntimePod;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The component of a pod, by the pod's name: the container runtime knows no controllers. */
final class RuntimeNames {
    /** Static pods of the keeper and of start. */
    private static final Pattern COPY = Pattern.compile("(?:understudy|bootstrap)-(.+)");

    /**
     * Controllers append five random characters without vowels, after a ReplicaSet's hash of up to ten (k8s.io/apimachinery,
     * pkg/util/rand).
     */
    private static final Pattern GENERATED =
            Pattern.compile("(.+?)(?:-[bcdfghjklmnpqrstvwxz2456789]{6,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}");

    private RuntimeNames() {}

    static boolean isCopy(String name) {
        return COPY.matcher(name).matches();
    }

    /** A static pod's name ends with its node's. */
    static String withoutNode(String name, String node) {
        String suffix = "-" + node;
        return !node.isEmpty() && name.endsWith(suffix) && name.length() > suffix.length()
                ? name.substring(0, name.length() - suffix.length())
                : name;
    }

    static ComponentName componentOf(RuntimePod pod, String node) {
        String name = pod.name();
        if (pod.isStatic()) {
            name = withoutNode(name, node);
            Matcher copy = COPY.matcher(name);
            return new ComponentName(pod.namespace(), copy.matches() ? copy.group(1) : name);
        }
        Matcher generated = GENERATED.matcher(name);
        return new ComponentName(pod.namespace(), generated.matches() ? generated.group(1) : name);
    }

    /** {@code 1.20.2} of {@code registry/name:v1.20.2}; empty for an image without a tag, or with no name but its id. */
    static Optional<String> version(String image) {
        if (image.startsWith("sha256:")) {
            return Optional.empty();
        }
        String withoutDigest = image.contains("@") ? image.substring(0, image.indexOf('@')) : image;
        int colon = withoutDigest.lastIndexOf(':');
        return colon > withoutDigest.lastIndexOf('/')
                ? Optional.of(number(withoutDigest.substring(colon + 1)))
                : Optional.empty();
    }

    /** The version without the v that some put before it. */
    static String number(String version) {
        return version.matches("v\\d.*") ? version.substring(1) : version;
    }
}
