package dev.ouroboros.images.oci;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All that determines an image's bytes.
 *
 * @param component what it is for; its binary is the entrypoint
 * @param tag version of the component
 * @param programs path in the image to file on this disk; executable, owned by root
 * @param texts path in the image to content; readable, owned by root
 */
record ImageRecipe(Component component, String tag, SortedMap<String, Path> programs, SortedMap<String, String> texts) {
    static final String PROGRAM_DIRECTORY = "/usr/local/bin/";
    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /** Changes when {@link ImageBuilder} makes something else of the same recipe, so that caches do not keep the old. */
    private static final String FORMAT = "1";

    private static final int KEY_LENGTH = 12;

    ImageRecipe {
        programs = Collections.unmodifiableSortedMap(new TreeMap<>(programs));
        texts = Collections.unmodifiableSortedMap(new TreeMap<>(texts));
    }

    List<String> entrypoint() {
        return List.of(PROGRAM_DIRECTORY + component.binary().fileName());
    }

    /** The first digits of the SHA-256 of the recipe with all files in it. */
    String key(FileDigests digests) {
        MessageDigest all = sha256();
        line(all, FORMAT, component.name(), tag);
        programs.forEach((path, file) -> line(all, path, digests.of(file)));
        texts.forEach((path, text) -> line(all, path, text));
        return HexFormat.of().formatHex(all.digest()).substring(0, KEY_LENGTH);
    }

    private static void line(MessageDigest digest, String... words) {
        digest.update((String.join("\0", words) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
