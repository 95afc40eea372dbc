package dev.ouroboros.render;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Hashes of what render wrote, by path: a file with another content was edited by a person.
 *
 * <p>Before the first file of a run is written, the ledger holds the old and the new hash of each and is not complete, so that a
 * run that was killed half-way is not taken for an edit; after the last one it holds the new hashes alone.
 *
 * @param complete whether the run that wrote it came to its end
 * @param hashes SHA-256 of the contents that are render's, by path
 */
record Ledger(boolean complete, SortedMap<String, Set<String>> hashes) {
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT, SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    static Ledger empty() {
        return new Ledger(true, new TreeMap<>());
    }

    /** A ledger that says these texts, and no others, were written. */
    static Ledger of(Map<String, String> texts) {
        SortedMap<String, Set<String>> hashes = new TreeMap<>();
        texts.forEach((path, text) -> hashes.put(path, Set.of(Sha256.hex(text))));
        return new Ledger(true, hashes);
    }

    /**
     * Reads a ledger.
     *
     * @throws ProblemException when it is torn: what it would say about edits is unknown then
     */
    static Ledger parse(String json, String where) {
        try {
            return JSON.readValue(json, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.INVALID_ASSET_DIRECTORY,
                            where,
                            "cannot be read: " + e.getOriginalMessage(),
                            "the list of files that render wrote",
                            "remove it, and run with --overwrite-edited if nobody edited the files beside it"),
                    e);
        }
    }

    /** A ledger, not complete, that accepts what either of the two accepts. */
    Ledger during(Ledger next) {
        SortedMap<String, Set<String>> both = new TreeMap<>();
        hashes.forEach((path, values) -> both.put(path, new TreeSet<>(values)));
        next.hashes.forEach((path, values) ->
                both.computeIfAbsent(path, key -> new TreeSet<>()).addAll(values));
        return new Ledger(false, both);
    }

    /** Whether render wrote this text to this path. */
    boolean wrote(String path, String text) {
        return hashes.getOrDefault(path, Set.of()).contains(Sha256.hex(text));
    }

    String json() {
        try {
            return JSON.writeValueAsString(this) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("hashes that cannot be written", e);
        }
    }
}
