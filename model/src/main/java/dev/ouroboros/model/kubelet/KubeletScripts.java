package dev.ouroboros.model.kubelet;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** The two scripts with which a node runs its kubelet: they are on the node, as all else may be away when they are needed. */
public final class KubeletScripts {
    private KubeletScripts() {}

    /** Their contents, by their names in {@link KubeletLayout#DIRECTORY}. */
    public static Map<String, String> all() {
        Map<String, String> scripts = new TreeMap<>();
        for (String name : new String[] {KubeletLayout.START, KubeletLayout.GUARD}) {
            scripts.put(name, read(name));
        }
        return scripts;
    }

    private static String read(String name) {
        try (InputStream stream = KubeletScripts.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException("missing resource " + name);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
