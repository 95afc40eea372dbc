package dev.ouroboros.images.oci;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One layer of an image. Everything in it is owned by root.
 *
 * @param name for people
 * @param programs path in the image to file on this disk; executable
 * @param data path in the image to file on this disk; readable
 * @param texts path in the image to content; readable
 */
record ImageLayer(
        String name, SortedMap<String, Path> programs, SortedMap<String, Path> data, SortedMap<String, String> texts) {
    ImageLayer {
        programs = Collections.unmodifiableSortedMap(new TreeMap<>(programs));
        data = Collections.unmodifiableSortedMap(new TreeMap<>(data));
        texts = Collections.unmodifiableSortedMap(new TreeMap<>(texts));
    }

    static ImageLayer ofPrograms(String name, Map<String, Path> programs, Map<String, String> texts) {
        return new ImageLayer(name, new TreeMap<>(programs), new TreeMap<>(), new TreeMap<>(texts));
    }

    static ImageLayer ofData(String name, Map<String, Path> data) {
        return new ImageLayer(name, new TreeMap<>(), new TreeMap<>(data), new TreeMap<>());
    }
}
