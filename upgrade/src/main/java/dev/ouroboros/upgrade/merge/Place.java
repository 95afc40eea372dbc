package dev.ouroboros.upgrade.merge;

/**
 * Where in an object something is, as people write it: {@code spec.template.spec.containers[kube-apiserver].command}.
 *
 * @param text all of it
 * @param field the last field's name; of an element the name of its list
 * @param parent the name of the field before
 */
record Place(String text, String field, String parent) {
    static final Place ROOT = new Place("", "", "");

    Place child(String name) {
        boolean isPlain = name.chars()
                .allMatch(
                        letter -> Character.isLetterOrDigit(letter) || letter == '_' || letter == '-' || letter == '$');
        String next = isPlain ? (text.isEmpty() ? name : "." + name) : "[" + name + "]";
        return new Place(text + next, name, field);
    }

    Place element(String key) {
        return new Place(text + "[" + key + "]", field, parent);
    }

    Place flag(String name) {
        return new Place(text + " " + name, field, parent);
    }

    @Override
    public String toString() {
        return text;
    }
}
