package dev.ouroboros.model.manifest;

/** Keys and authorities that are replaced in steps. */
public enum Rotation {
    ENCRYPTION_KEY("encryption-key"),
    SERVICE_ACCOUNT_KEY("service-account-key"),
    FRONT_PROXY_AUTHORITY("front-proxy-authority");

    private final String word;

    Rotation(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    /**
     * Annotation of a Secret that a step made: it names the key that the steps lead to, for whoever continues them. Each rotation has
     * its own annotation, because one may have to wait for days while another is carried out.
     */
    String annotation() {
        return "ouroboros.dev/rotates-" + word + "-to";
    }
}
