package dev.ouroboros.model.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Names of images as containerd keeps them: complete, whatever short form a pod's specification uses. */
public final class ImageName {
    private static final String DEFAULT_REGISTRY = "docker.io";

    /** Registry with a port, path, tag, digest: what of the grammar of references decides whether a text is one. */
    private static final Pattern REFERENCE =
            Pattern.compile("(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?/)?"
                    + "[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*"
                    + "(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?");

    private ImageName() {}

    /**
     * The names under which containerd may have what a pod refers to, the most exact one first. With both a tag and a digest, the
     * digest decides and the tag may be missing.
     */
    public static List<String> candidates(String reference) {
        List<String> names = new ArrayList<>();
        int digest = reference.indexOf('@');
        String name = digest < 0 ? reference : reference.substring(0, digest);
        String suffix = digest < 0 ? "" : reference.substring(digest);
        String full = withRegistry(name);
        int tag = full.lastIndexOf(':');
        boolean tagged = tag > full.lastIndexOf('/');
        names.add(full + (tagged || digest >= 0 ? "" : ":latest") + suffix);
        if (tagged && digest >= 0) {
            names.add(full.substring(0, tag) + suffix);
        }
        return List.copyOf(names);
    }

    /**
     * The complete name, as a pod's {@code image} is completed: {@code busybox} is {@code docker.io/library/busybox:latest}; empty for
     * a text that is no reference of an image.
     */
    public static Optional<String> complete(String reference) {
        return REFERENCE.matcher(reference).matches()
                ? Optional.of(candidates(reference).getFirst())
                : Optional.empty();
    }

    /** A first component with a dot or a port, or localhost, is a registry; else it is Docker's. */
    private static String withRegistry(String name) {
        int end = name.indexOf('/');
        String first = end < 0 ? "" : name.substring(0, end);
        if (first.contains(".") || first.contains(":") || first.equals("localhost")) {
            return name;
        }
        return DEFAULT_REGISTRY + (end < 0 ? "/library/" : "/") + name;
    }
}
