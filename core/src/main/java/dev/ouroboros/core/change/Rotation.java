package dev.ouroboros.core.change;

/** What is exchanged in steps. */
public enum Rotation {
    ENCRYPTION_KEY("encryption-key"),
    SERVICE_ACCOUNT_KEY("service-account-key");

    private final String word;

    Rotation(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    /**
     * On a Secret that a step made: the key that the steps lead to, so that whoever goes on with them knows. Each rotation has its own,
     * because one may have to wait for days while another is carried out.
     */
    String annotation() {
        return "ouroboros.dev/rotates-" + word + "-to";
    }
}
