package dev.ouroboros.render.adopt;

/**
 * What an adoption alters, for people.
 *
 * @param object kind and namespace/name
 * @param field path of the field; empty when the whole object is meant
 * @param what what happens to it
 * @param reason what would not hold without
 */
public record Alteration(String object, String field, String what, String reason) {
    /** As one line. */
    public String describe() {
        return object + (field.isEmpty() ? "" : ", " + field) + ": " + what + " (" + reason + ")";
    }
}
